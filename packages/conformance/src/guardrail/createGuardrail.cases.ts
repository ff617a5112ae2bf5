import { assert } from "@effect/vitest"
import { bodyWorkspaceCases } from "../http/bodyWorkspaceCases.ts"
import { metadataOf } from "../World.ts"
import { endpoint, list, model, newAuthor } from "../model/catalog.ts"
import { manyNames, mostBytes, ownBytes } from "../limits/entityBytes.ts"
import { type CasesOf, managementOnly, refused, storeGone } from "../http/Case.ts"
import { createWithoutPrompts } from "./withoutPrompts.ts"

const body = { name: "Production" }
const bad = (name: string, fields: Record<string, unknown>, path: string, reason?: string) =>
  refused("createGuardrail", name, { body: { ...body, ...fields } }, { path, reason })

export const createGuardrail: CasesOf = {
  operation: "createGuardrail",
  cases: [
    {
      name: "a name alone restricts nothing",
      status: 200,
      run: (world) => world.call("createGuardrail", { body }),
      check: (answer, world) => {
        const guardrail = answer.json.data
        assert.strictEqual(guardrail.workspace_id, world.workspace_id)
        assert.strictEqual(guardrail.enable_paid_model_training, true)
        assert.strictEqual(guardrail.include_byok_in_budgets, false)
        assert.strictEqual(guardrail.content_filter_unscannable, "allow")
        assert.strictEqual(guardrail.enforce_zdr, null)
        assert.strictEqual(guardrail.allowed_models, null)
        assert.strictEqual(guardrail.updated_at, null)
      }
    },
    {
      name: "the deprecated field speaks for the groups that the request leaves open",
      status: 200,
      run: (world) =>
        world.call("createGuardrail", { body: { ...body, enforce_zdr: true, enforce_zdr_openai: false } }),
      check: ({ json: { data } }) => {
        assert.deepInclude(data, {
          enforce_zdr: true,
          enforce_zdr_openai: false,
          enforce_zdr_xai: true,
          enforce_zdr_other: true
        })
      }
    },
    {
      name: "a limit of nine decimals is kept exactly",
      status: 200,
      run: (world) =>
        world.call("createGuardrail", { body: { ...body, limit_usd: 0.000000001, reset_interval: null } }),
      check: ({ json: { data } }) => assert.deepInclude(data, { limit_usd: 1e-9, reset_interval: null })
    },
    {
      name: "a pattern of the full length",
      status: 200,
      run: (world) =>
        world.call("createGuardrail", {
          body: { ...body, content_filters: [{ pattern: "a".repeat(10_000), action: "flag" }] }
        })
    },
    {
      name: "names that allow or ignore nothing are told",
      status: 200,
      run: async (world) => {
        const id = `${newAuthor()}/one`
        await list(world, model(`${id}-dated:free`, { canonical_slug: `${id}-2026-01-01` }))
        await list(world, model(`${id}:free`, { endpoints: [endpoint({ provider_name: "Ünique", tag: `tag-${id}` })] }))
        return world.call("createGuardrail", {
          body: {
            ...body,
            ignored_models: [id, `${id}-typo`, `${id}:free`, `${id.toUpperCase()}:FREE`, `${id}-dated`],
            ignored_providers: ["openai", "opneai", "ÜNIQUE", `TAG-${id}`],
            allowed_models: [id, `${id}-other`, `${id}:free`, id.toUpperCase()],
            allowed_providers: ["openai", "unique", "OpenAI", `tag-${id}`]
          }
        })
      },
      check: ({ json: { data, warnings } }) => {
        assert.lengthOf(data.ignored_models, 5)
        assert.deepEqual(
          warnings.map(({ path, code }: { path: string; code: string }) => [path, code]),
          [
            // The catalog lists the model only with its variant.
            ["allowed_models.0", "unknown_model"],
            ["allowed_models.1", "unknown_model"],
            ["allowed_models.3", "unknown_model"],
            ["allowed_providers.1", "unknown_provider"],
            ["allowed_providers.2", "unknown_provider"],
            ["allowed_providers.3", "unknown_provider"],
            ["ignored_models.1", "unknown_model"],
            ["ignored_providers.1", "unknown_provider"]
          ]
        )
        assert.include(warnings[0].message, data.allowed_models[0])
      }
    },
    {
      name: "a variant that the catalog does not list ignores nothing, and is told",
      status: 200,
      run: async (world) => {
        const id = `${newAuthor()}/one`
        await list(world, model(id))
        return world.call("createGuardrail", { body: { ...body, ignored_models: [id, `${id}:online`] } })
      },
      check: ({ json: { warnings } }) =>
        assert.deepEqual(
          warnings.map(({ path, code }: { path: string; code: string }) => [path, code]),
          [["ignored_models.1", "unknown_model"]]
        )
    },
    {
      name: "no warnings where there is nothing to tell",
      status: 200,
      run: (world) => world.call("createGuardrail", { body: { ...body, ignored_providers: [" OpenAI "] } }),
      check: ({ json }) => assert.notProperty(json, "warnings")
    },
    ...createWithoutPrompts,
    ...managementOnly("createGuardrail", () => ({ body })),
    bad("no name", { name: undefined }, "name"),
    bad("an empty name", { name: "" }, "name"),
    bad("a name of 201 characters", { name: "é".repeat(201) }, "name"),
    bad("a description of 1001 characters", { description: "d".repeat(1001) }, "description"),
    bad("an empty region list", { allowed_data_regions: [] }, "allowed_data_regions"),
    bad(
      "an unknown rule for what is unscannable",
      { content_filter_unscannable: "flag" },
      "content_filter_unscannable"
    ),
    bad("an unknown region", { allowed_data_regions: ["mars"] }, "allowed_data_regions.0"),
    bad("an empty model list", { allowed_models: [] }, "allowed_models"),
    bad("a limit without an interval", { limit_usd: 5 }, "reset_interval", "limit_reset_pair"),
    bad("an interval without a limit", { reset_interval: "daily" }, "limit_usd", "limit_reset_pair"),
    bad("an interval with a null limit", { reset_interval: "daily", limit_usd: null }, "limit_usd", "limit_reset_pair"),
    bad("a negative limit", { limit_usd: -1, reset_interval: null }, "limit_usd"),
    bad("ten decimals", { limit_usd: 0.0000000001, reset_interval: null }, "limit_usd"),
    bad(
      "look-ahead",
      { content_filters: [{ pattern: "a(?=b)", action: "block" }] },
      "content_filters.0.pattern",
      "invalid_regex_pattern"
    ),
    bad(
      "a pattern whose program is longer than any pattern may be",
      { content_filters: [{ pattern: "(?:abcdefghijk){1000}", action: "block" }] },
      "content_filters.0.pattern",
      "invalid_regex_pattern"
    ),
    bad(
      "a pattern of 10,001 characters",
      { content_filters: [{ pattern: "a".repeat(10_001), action: "flag" }] },
      "content_filters.0.pattern"
    ),
    bad(
      "an unknown builtin",
      { content_filter_builtins: [{ slug: "dna", action: "flag" }] },
      "content_filter_builtins.0.slug"
    ),
    ...bodyWorkspaceCases("createGuardrail", body),
    storeGone("Guardrails", 500, (world) => world.call("createGuardrail", { body })),
    {
      name: "the whole size of a guardrail, and one byte more",
      status: 400,
      run: async (world) => {
        const create = (more: number) =>
          world.call("createGuardrail", {
            body: {
              ...{ ...body, allowed_models: manyNames("a"), ignored_models: manyNames("b") },
              content_filters: Array.from({ length: 5 }, (_, index) => ({
                ...{ action: "block", label: "" },
                pattern: "x".repeat(1 + Math.floor((more + index) / 5))
              }))
            }
          })
        const room = mostBytes - ownBytes((await create(0)).json.data)
        const full = await create(room)
        assert.strictEqual(full.status, 200)
        assert.strictEqual(ownBytes(full.json.data), mostBytes)
        const refused = await create(room + 1)
        assert.strictEqual((await world.call("listGuardrails")).json.total_count, 2)
        return refused
      },
      check: (answer) => {
        const [issue] = metadataOf(answer).issues
        assert.deepInclude(issue, { path: "allowed_models", code: "too_big" })
        assert.match(issue?.message ?? "", /would take 1,048,577 bytes as JSON; the limit is 1,048,576/)
      }
    }
  ]
}
