/** The rules of a request: the prices that it bounds, and where it may be served. Rule: admissions#preferences-of-a-request. */
import { assert, describe, it } from "@effect/vitest"
import type { Guardrail, Pricing, ProviderPreferences, Region } from "@gatewarden/contract/internal"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import { type Candidate, candidateOf } from "../../core/src/policy/Candidate.ts"
import { compilePolicy } from "../../core/src/policy/CompiledPolicy.ts"
import { exceedsMaxPrice, regionFacts } from "../../core/src/policy/requestRules.ts"
import { unrestricted } from "../../core/src/ports/guardrails.ts"

const priced = (pricing: Partial<Pricing>): Pricing =>
  catalogEndpoint("acme", { pricing: { prompt: "0.000002", completion: "0.000003", ...pricing } }).pricing

type Bounds = NonNullable<ProviderPreferences["max_price"]>

describe("max_price", () => {
  const exceeds = (pricing: Partial<Pricing>, bounds: Bounds) => exceedsMaxPrice(priced(pricing), bounds)

  it("bounds a million tokens of the prompt and of the completion, and one request, image or audio", () => {
    for (const [pricing, field, most, less] of [
      [{}, "prompt", "2", "1.999999999"],
      [{}, "completion", "3", "2.999999999"],
      [{ internal_reasoning: "0.000005" }, "completion", "5", "4.999999999"],
      [{ request: "0.5" }, "request", "0.5", "0.499999999"],
      [{ image: "0.5" }, "image", "0.5", "0.499999999"],
      [{ audio: "0.5" }, "audio", "0.5", "0.499999999"]
    ] as const) {
      assert.isFalse(exceeds(pricing, { [field]: most }), field)
      assert.isTrue(exceeds(pricing, { [field]: less }), field)
    }
  })

  it("bounds the highest of a price and what overrides it, each for its own", () => {
    const overrides = (override: object) => ({ audio: "0", overrides: [{ min_prompt_tokens: 1, ...override }] })
    for (const field of ["prompt", "completion", "audio"] as const) {
      const high = overrides({ [field]: "9" })
      const bounds = { prompt: 5, completion: 5, audio: 5 }
      assert.isTrue(exceeds(high, { [field]: bounds[field] }), field)
      const { [field]: _, ...others } = bounds
      assert.isFalse(exceeds(high, others), field)
      assert.isFalse(exceeds(overrides({}), bounds), field)
    }
    assert.isFalse(exceeds({ overrides: [] }, { prompt: 5, completion: 5, audio: 5 }))
  })

  it("takes an unknown price for too high, and one that was not asked about for none", () => {
    for (const field of ["prompt", "completion", "request", "image", "audio"] as const) {
      assert.isTrue(exceeds({ [field]: "-1" }, { [field]: 1_000_000 }), field)
      assert.isFalse(exceeds({ [field]: "-1" }, {}), field)
    }
    assert.isFalse(exceeds({}, { request: 0, image: "0", audio: 0 }))
  })
})

const facts = (
  ingress_region: Region,
  allowed: readonly (Region[] | null)[],
  ...data_regions: readonly (readonly Region[])[]
) => {
  const candidates = data_regions.map((regions): Candidate => ({
    ...candidateOf(catalogModel("a/one"), catalogEndpoint("acme"), new Map()),
    data_regions: regions
  }))
  const guardrail: Guardrail = {
    ...unrestricted,
    id: "g",
    workspace_id: "w",
    name: "one",
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: null
  }
  const policy = compilePolicy(
    allowed.map((allowed_data_regions) => ({ scope: "key", guardrail: { ...guardrail, allowed_data_regions } })),
    (name) => name
  )
  const { served, ...rest } = regionFacts(policy, { ingress_region, provider: {} }, candidates)
  return {
    ...rest,
    served: served.map(({ region, candidates: some }) => [region, some.map((one) => candidates.indexOf(one))])
  }
}

describe("regionFacts", () => {
  it("tells which endpoints lie in the region of the request, where it may come in", () => {
    assert.deepEqual(facts("us", [], ["us"], ["europe"], ["europe", "us"]), {
      ingress: "us",
      allowed: ["global", "europe", "us"],
      missing: [],
      served: [["us", [0, 2]]]
    })
  })

  it("has every endpoint for a request from anywhere", () =>
    assert.deepEqual(facts("global", [null], ["us"], ["europe"]).served, [["global", [0, 1]]]))

  it("tells which endpoints lie in the regions by which the request may come in, where its own is closed", () => {
    assert.deepEqual(facts("us", [["global", "europe"]], ["us"], ["europe"]), {
      ingress: "us",
      allowed: ["global", "europe"],
      missing: ["ingress"],
      served: [
        ["global", [0, 1]],
        ["europe", [1]]
      ]
    })
  })

  it("misses an endpoint only where none lies in any of those regions", () => {
    assert.deepEqual(facts("us", [], ["europe"]).missing, ["endpoint"])
    assert.deepEqual(facts("global", [["europe", "us"]], ["us"]).missing, ["ingress"])
    assert.deepEqual(facts("us", [["europe"]], ["us"]).missing, ["ingress", "endpoint"])
  })

  it("misses no endpoint where there is none at all, or no region to lie in", () => {
    assert.deepEqual(facts("us", []).missing, [])
    assert.deepEqual(facts("us", [["europe"]]).missing, ["ingress"])
    assert.deepEqual(facts("us", [["europe"], ["global"]], ["us"]), {
      ingress: "us",
      allowed: [],
      missing: ["ingress"],
      served: []
    })
  })
})
