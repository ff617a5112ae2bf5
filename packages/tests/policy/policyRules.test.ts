/** What each rule says, one by one: a decision and its proof run the same rules, and would agree on a wrong one. */
import { assert, describe, it } from "@effect/vitest"
import {
  type CatalogEndpoint,
  type Guardrail,
  type Pricing,
  type ProviderPreferences,
  zdrGroups
} from "@gatewarden/contract/internal"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import { type Candidate, candidateOf } from "../../core/src/policy/Candidate.ts"
import { compilePolicy } from "../../core/src/policy/CompiledPolicy.ts"
import { objectionsTo, permits } from "../../core/src/policy/judgeCandidate.ts"
import type { RequestTerms } from "../../core/src/policy/requestRules.ts"
import { printedEdit } from "../../core/src/policy/smallestChange.ts"
import { unrestricted } from "../../core/src/ports/guardrails.ts"
import { normalise } from "../decision/worlds.ts"

/** Of the candidate, or of the endpoint from which it is made. */
type Fields = Omit<Partial<Candidate>, "endpoint"> & { readonly endpoint?: Partial<CatalogEndpoint> }

/** `a/one`, recorded as `a/one-2026`, at openai: nothing is said against it but what the fields say. */
const subject = ({ model, provider, endpoint_tag, endpoint, ...fields }: Fields): Candidate => ({
  ...candidateOf(
    model === undefined ? catalogModel("a/one", { canonical_slug: "a/one-2026" }) : catalogModel(model),
    catalogEndpoint(provider ?? "openai", {
      provider_name: provider === undefined ? "OpenAI" : provider.toUpperCase(),
      tag: endpoint_tag ?? `${provider ?? "openai"}/fast`,
      zero_data_retention: true,
      pricing: { prompt: "1", completion: "1" },
      ...endpoint
    }),
    new Map([["openai", "openai"]])
  ),
  ...fields
})

const priced = (pricing: Partial<Pricing>): Fields => ({
  endpoint: { pricing: { prompt: "1", completion: "1", request: "0", image: "0", ...pricing } }
})

const supporting = (...supported_parameters: readonly string[]): Fields => ({
  endpoint: { supported_parameters: [...supported_parameters] }
})

interface Row {
  /** Of a guardrail. */
  readonly policy?: Partial<Guardrail>
  /** Of the request. */
  readonly provider?: ProviderPreferences
  readonly region?: RequestTerms["ingress_region"]
  readonly parameters?: readonly string[]
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
    passes: [{ model: "a/two" }],
    removed: [{}],
    field: "allowed_models",
    value: ["a/two"],
    to: ["a/two", "a/one"]
  },
  {
    policy: { ignored_models: ["a/two", "a/one"] },
    passes: [{ model: "a/three" }],
    removed: [{}],
    field: "ignored_models",
    value: "a/one",
    to: ["a/two"]
  },
  // A name without a variant covers all variants, a name with one only its own; case and white space do not count.
  {
    policy: { ignored_models: ["b/other", " A/Three "] },
    passes: [{}, { model: "a/three-mini" }, { model: "b/three:free" }],
    removed: [{ model: "a/three" }, { model: "a/three:free" }, { model: "a/three:nitro" }],
    field: "ignored_models",
    value: " A/Three ",
    to: ["b/other"]
  },
  {
    policy: { ignored_models: ["a/three:free"] },
    passes: [{ model: "a/three" }, { model: "a/three:nitro" }],
    removed: [{ model: "a/three:free" }],
    field: "ignored_models",
    value: "a/three:free",
    to: null
  },
  {
    policy: { ignored_models: ["a/one-2026"] },
    passes: [{ model: "a/two" }],
    removed: [{}],
    field: "ignored_models",
    value: "a/one-2026",
    to: null
  },
  {
    policy: { ignored_providers: ["Open AI", " openai"] },
    passes: [{ provider: "acme" }],
    removed: [{}, { endpoint_tag: "other/fast" }],
    field: "ignored_providers",
    value: " openai",
    to: ["Open AI"]
  },
  {
    policy: { ignored_providers: ["OPENAI/FAST"] },
    passes: [{ endpoint_tag: "openai/slow" }],
    removed: [{}],
    field: "ignored_providers",
    value: "OPENAI/FAST",
    to: null
  },
  {
    provider: { max_price: { prompt: 1_000_000, completion: "1000000" } },
    passes: [{}, priced({ prompt: "0", completion: "0" }), priced({ image: "5", request: "5", audio: "5" })],
    removed: [
      priced({ prompt: "1.000000000000000000000001" }),
      priced({ completion: "1.0000001" }),
      priced({ overrides: [{ min_prompt_tokens: 200_000, prompt: "2" }] }),
      priced({ prompt: "-1" })
    ],
    field: "provider.max_price",
    value: { prompt: 1_000_000, completion: "1000000" },
    to: null
  },
  {
    provider: { max_price: { request: "0.01", image: 0.02, audio: "0" } },
    passes: [{}, priced({ request: "0.01", image: "0.02" })],
    removed: [priced({ request: "0.011" }), priced({ image: "0.021" }), priced({ audio: "0.000001" })],
    field: "provider.max_price",
    value: { request: "0.01", image: 0.02, audio: "0" },
    to: null
  },
  {
    provider: { require_parameters: true },
    parameters: ["tools", "seed"],
    passes: [supporting("seed", "tools", "top_p")],
    removed: [{}, supporting("tools")],
    field: "provider.require_parameters",
    value: true,
    to: false
  },
  {
    provider: { enforce_distillable_text: true },
    passes: [{ distillable: true }],
    removed: [{}, { distillable: false }],
    field: "provider.enforce_distillable_text",
    value: true,
    to: false
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

describe("each rule", () => {
  for (const {
    policy = {},
    provider = {},
    region = "global",
    parameters = [],
    passes,
    removed,
    field,
    value,
    to
  } of rows)
    it(`${field}: ${JSON.stringify(policy)} ${JSON.stringify(provider)} ${region}`, () => {
      const terms: RequestTerms = { ingress_region: region, provider, parameters }
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
        else assert.deepInclude(objection?.edit && printedEdit(objection.edit), { ...at, to } as never)
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
      { require_parameters: false, enforce_distillable_text: false },
      { zdr: false, data_collection: "allow", only: null, ignore: null, quantizations: null }
    ] as const) {
      const terms: RequestTerms = {
        ingress_region: "global",
        provider: { ...provider } as ProviderPreferences,
        parameters: ["tools"]
      }
      const collecting = subject({ data_regions: ["us"], retains: true, trains: true, publishes: true })
      assert.deepEqual(objectionsTo(compiled({}), terms, collecting), [], JSON.stringify(provider))
    }
  })
})
