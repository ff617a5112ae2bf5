import { assert } from "@effect/vitest"
import { explained, limitedKey, openMarket, restrict } from "./admissionWorld.ts"
import { type CasesOf, managementOnly, refused, storeGone } from "../http/Case.ts"
import { decisions } from "./createExplanation/decisions.ts"
import { proposals } from "./createExplanation/proposals.ts"
import { rates } from "./createExplanation/rates.ts"
import { replays } from "./createExplanation/replays.ts"
import { gatewayExplanationCases } from "../access/gatewayKeyCases.ts"
import { explainWithoutPrompts } from "../guardrail/withoutPrompts.ts"

const body = { api_key_hash: "0".repeat(64), model: "acme/sonnet" }

export const createExplanation: CasesOf = {
  operation: "createExplanation",
  cases: [
    ...gatewayExplanationCases,
    ...decisions,
    ...rates,
    ...proposals,
    {
      name: "a key nobody made",
      status: 200,
      run: (world) => explained(world, { ...body, api_key_hash: "f".repeat(64) }),
      check: ({ json }) => assert.deepInclude(json.data, { decision: "deny", status: 401, smallest_change: null })
    },
    {
      name: "a long list that removes several candidates, shown once",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        const allowed_models = Array.from({ length: 100 }, (_, index) => `nobody/has-this-model-${index}`)
        await restrict(world, { allowed_models })
        return explained(world, { model })
      },
      check: ({ json: { data } }) => {
        const values = data.candidates.map(
          ({ reasons }: { reasons: readonly { value: unknown }[] }) => reasons[0]?.value
        )
        assert.lengthOf(values[0], 100)
        assert.deepEqual(values.slice(1), [null])
        assert.deepEqual(data.reasons[0].value, values[0])
      }
    },
    {
      name: "a long text that removes several candidates, shown once",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        const api_key_hash = await limitedKey(world, 1)
        return explained(world, { model, api_key_hash, max_tokens: 1, service_tier: "x".repeat(2_000) })
      },
      check: ({ json: { data } }) => {
        const values = data.candidates.flatMap(
          ({ reasons }: { reasons: readonly { field: string; value: unknown }[] }) =>
            reasons.flatMap(({ field, value }) => (field === "service_tier" ? [value] : []))
        )
        assert.deepEqual(values, ["x".repeat(2_000), null])
      }
    },
    ...replays,
    ...explainWithoutPrompts,
    refused(
      "createExplanation",
      "neither a key nor a replay",
      { body: { model: "acme/sonnet" } },
      { path: "api_key_hash" }
    ),
    refused(
      "createExplanation",
      "a range without length",
      { body: { replay: { start: "2026-01-02T00:00:00Z", end: "2026-01-02T00:00:00Z" } } },
      { path: "replay.end", reason: "invalid_time_range" }
    ),
    ...["start", "end"].map((side) =>
      refused(
        "createExplanation",
        `an instant that is none: ${side}`,
        {
          body: {
            replay: { start: "2026-01-01T00:00:00Z", end: "2026-01-02T00:00:00Z", [side]: "2026-02-30T00:00:00Z" }
          }
        },
        { path: `replay.${side}`, reason: "invalid_time_range" }
      )
    ),
    refused(
      "createExplanation",
      "a patch that no guardrail takes",
      { body: { ...body, guardrail: { scope: "key", patch: { limit_usd: 1 } } } },
      { reason: "limit_reset_pair" }
    ),
    ...[{}, { replay: { start: "2026-01-01T00:00:00Z", end: "2026-01-02T00:00:00Z" } }].map((fields) =>
      refused(
        "createExplanation",
        `a pattern that no guardrail takes, ${"replay" in fields ? "though nothing was recorded" : "though the key is unknown"}`,
        {
          body: {
            ...body,
            ...fields,
            guardrail: { scope: "key", patch: { content_filters: [{ pattern: "(?=a)", action: "block" }] } }
          }
        },
        { path: "guardrail.patch.content_filters.0.pattern", reason: "invalid_regex_pattern" }
      )
    ),
    ...managementOnly("createExplanation", () => ({ body })),
    storeGone("PolicySources", 500, (world) => explained(world, { model: "acme/sonnet" }))
  ]
}
