/** What each rule says, one by one: a decision and its proof run the same rules, and would agree on a wrong one. */
import { assert, describe, it } from "@effect/vitest"
import { type Guardrail, type ProviderPreferences, zdrGroups } from "@gatewarden/contract"
import { catalogEndpoint, catalogModel } from "../../../conformance/src/catalogModel.ts"
import { type Candidate, candidateOf } from "../../src/enforcement/Candidate.ts"
import { compilePolicy } from "../../src/enforcement/CompiledPolicy.ts"
import { objectionsTo, permits } from "../../src/enforcement/judgeCandidate.ts"
import type { RequestTerms } from "../../src/enforcement/requestRules.ts"
import { unrestricted } from "../../src/guardrail/guardrailChange.ts"
import { normalise } from "./worlds.ts"

type Fields = Partial<Candidate>

/** `a/one`, recorded as `a/one-2026`, at openai: nothing is said against it but what the fields say. */
const subject = (fields: Fields): Candidate => ({
  ...candidateOf(
    catalogModel("a/one", { canonical_slug: "a/one-2026" }),
    catalogEndpoint("openai", {
      provider_name: "OpenAI",
      tag: "openai/fast",
      zero_data_retention: true,
      pricing: { prompt: "1", completion: "1" }
    }),
    new Map([["openai", "openai"]])
  ),
  ...fields
})

interface Row {
  /** Of a guardrail. */
  readonly policy?: Partial<Guardrail>
  /** Of the request. */
  readonly provider?: ProviderPreferences
  readonly region?: RequestTerms["ingress_region"]
  readonly passes: readonly Fields[]
  readonly removed: readonly Fields[]
  /** Of the one reason against those that are removed: what did it, and what would undo it. */
  readonly field: string
  readonly value: unknown
  readonly to?: unknown
}

const rows: readonly Row[] = [
  {
    policy: { allowed_providers: ["openai"] },
    passes: [{}],
    removed: [{ provider: "acme" }],
    field: "allowed_providers",
    value: ["openai"],
    to: ["openai", "acme"]
  },
  {
    policy: { ignored_providers: ["xai", "acme"] },
    passes: [{}],
    removed: [{ provider: "acme" }],
    field: "ignored_providers",
    value: "acme",
    to: ["xai"]
  },
  {
    policy: { ignored_providers: ["acme"] },
    passes: [{}],
    removed: [{ provider: "acme" }],
    field: "ignored_providers",
    value: "acme",
    to: null
  },
  {
    policy: { allowed_models: ["a/two"] },
    passes: [{ model: "a/two", model_name: "a/two" }],
    removed: [{}],
    field: "allowed_models",
    value: ["a/two"],
    to: ["a/two", "a/one"]
  },
  {
    policy: { ignored_models: ["a/two", "a/one"] },
    passes: [{ model: "a/three", model_name: "a/three" }],
    removed: [{}],
    field: "ignored_models",
    value: "a/one",
    to: ["a/two"]
  },
  ...zdrGroups.map((group): Row => ({
    policy: { [`enforce_zdr_${group}`]: true },
    passes: [
      { retains: false, zdr_group: group },
      ...zdrGroups.filter((other) => other !== group).map((zdr_group) => ({ retains: true, zdr_group }))
    ],
    removed: [{ retains: true, zdr_group: group }],
    field: `enforce_zdr_${group}`,
    value: true,
    to: false
  })),
  {
    policy: { enable_paid_model_training: false },
    passes: [{ trains: false }, { trains: true, free: true }, { publishes: true }],
    removed: [{ trains: true, free: false }],
    field: "enable_paid_model_training",
    value: false,
    to: true
  },
  {
    policy: { enable_free_model_training: false },
    passes: [{ free: true }, { trains: true, free: false }, { publishes: true, free: true }],
    removed: [{ trains: true, free: true }],
    field: "enable_free_model_training",
    value: false,
    to: true
  },
  {
    policy: { enable_free_model_publication: false },
    passes: [{ free: true }, { publishes: true, free: false }, { trains: true, free: true }],
    removed: [{ publishes: true, free: true }],
    field: "enable_free_model_publication",
    value: false,
    to: true
  },
  {
    region: "europe",
    passes: [{ data_regions: ["us", "europe"] }],
    removed: [{ data_regions: ["global", "us"] }],
    field: "ingress_region",
    value: "europe"
  },
  {
    provider: { only: ["acme", "xai/fast"] },
    passes: [{ provider: "acme" }, { endpoint_tag: "xai/fast" }],
    removed: [{}],
    field: "provider.only",
    value: ["acme", "xai/fast"],
    to: ["acme", "xai/fast", "openai"]
  },
  {
    provider: { ignore: ["acme", "openai", "openai/fast"] },
    passes: [{ provider: "xai", endpoint_tag: "xai/fast" }],
    removed: [{}],
    field: "provider.ignore",
    value: ["acme", "openai", "openai/fast"],
    to: ["acme"]
  },
  {
    provider: { only: ["xAI"] },
    passes: [{ endpoint: catalogEndpoint("xai", { provider_name: "xAI" }) }],
    removed: [{}],
    field: "provider.only",
    value: ["xAI"],
    to: ["xAI", "openai"]
  },
  {
    provider: { ignore: ["OpenAI", "xAI"] },
    passes: [{ endpoint: catalogEndpoint("acme", { provider_name: "Acme" }) }],
    removed: [{}],
    field: "provider.ignore",
    value: ["OpenAI", "xAI"],
    to: ["xAI"]
  },
  {
    provider: { allow_fallbacks: false, order: ["Acme"] },
    passes: [{ endpoint: catalogEndpoint("acme", { provider_name: "Acme" }) }],
    removed: [{}],
    field: "provider.allow_fallbacks",
    value: false,
    to: true
  },
  {
    provider: { allow_fallbacks: false, order: ["acme"] },
    passes: [{ provider: "acme" }, { endpoint_tag: "acme" }, { source: "byok" }],
    removed: [{}],
    field: "provider.allow_fallbacks",
    value: false,
    to: true
  },
  {
    provider: { zdr: true },
    passes: [{ retains: false }],
    removed: [{ retains: true }],
    field: "provider.zdr",
    value: true,
    to: false
  },
  {
    provider: { data_collection: "deny" },
    passes: [{}],
    removed: [{ trains: true }, { publishes: true }],
    field: "provider.data_collection",
    value: "deny",
    to: "allow"
  },
  {
    provider: { quantizations: ["fp8"] },
    passes: [{ endpoint: catalogEndpoint("openai", { quantization: "fp8" }) }],
    removed: [{}],
    field: "provider.quantizations",
    value: ["fp8"],
    to: ["fp8", "unknown"]
  },
  {
    provider: { quantizations: ["unknown"] },
    passes: [{}],
    removed: [{ endpoint: catalogEndpoint("openai", { quantization: "fp8" }) }],
    field: "provider.quantizations",
    value: ["unknown"],
    to: ["unknown", "fp8"]
  }
]

const guardrail: Guardrail = {
  ...unrestricted,
  id: "6b0f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
  workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
  name: "one",
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: null
}

const compiled = (policy: Partial<Guardrail>) =>
  compilePolicy([{ scope: "key", guardrail: { ...guardrail, ...policy } }], normalise)

describe("candidateOf", () => {
  it("takes for free what costs nothing to read and nothing to write", () => {
    const isFree = (prompt: string, completion: string) =>
      candidateOf(catalogModel("a/one"), catalogEndpoint("openai", { pricing: { prompt, completion } }), new Map()).free
    assert.isTrue(isFree("0", "0.000"))
    assert.isFalse(isFree("0.000001", "0"))
    assert.isFalse(isFree("0", "0.000001"))
  })
})

describe("each rule", () => {
  for (const { policy = {}, provider = {}, region = "global", passes, removed, field, value, to } of rows)
    it(`${field}: ${JSON.stringify(policy)} ${JSON.stringify(provider)} ${region}`, () => {
      const terms: RequestTerms = { ingress_region: region, provider }
      for (const fields of passes) {
        assert.deepEqual(objectionsTo(compiled(policy), terms, subject(fields)), [], JSON.stringify(fields))
        assert.isTrue(permits(compiled(policy), terms, subject(fields)))
      }
      const isRequest = Object.keys(policy).length === 0
      const at = { scope: isRequest ? "request" : "key", guardrail_id: isRequest ? null : guardrail.id, field }
      for (const fields of removed) {
        const [objection, ...others] = objectionsTo(compiled(policy), terms, subject(fields))
        assert.deepEqual(others, [])
        assert.deepEqual(objection?.reason, { ...at, value } as never, JSON.stringify(fields))
        if (to === undefined) assert.isNull(objection?.edit)
        else assert.deepInclude(objection?.edit, { ...at, to } as never)
        assert.isFalse(permits(compiled(policy), terms, subject(fields)))
      }
    })

  it("names the key that is to be used in place of shared capacity", () => {
    const claimed = subject({ claims: [{ byok_id: "own", field: "is_required" }] })
    const terms: RequestTerms = { ingress_region: "global", provider: {} }
    const at = { scope: "credential", guardrail_id: null, field: "byok.own.is_required" } as const
    assert.deepEqual(objectionsTo(compiled({}), terms, claimed), [
      { reason: { ...at, value: true }, edit: { ...at, from: true, to: false } }
    ])
    assert.isFalse(permits(compiled({}), terms, claimed))
  })

  it("says nothing of what it is not asked about", () => {
    for (const provider of [
      { allow_fallbacks: false },
      { allow_fallbacks: false, order: [] },
      { allow_fallbacks: true, order: ["acme"] },
      { zdr: false, data_collection: "allow", only: null, ignore: null, quantizations: null }
    ] as const) {
      const terms: RequestTerms = { ingress_region: "global", provider: { ...provider } as ProviderPreferences }
      const collecting = subject({ data_regions: ["us"], retains: true, trains: true, publishes: true })
      assert.deepEqual(objectionsTo(compiled({}), terms, collecting), [], JSON.stringify(provider))
    }
  })
})
