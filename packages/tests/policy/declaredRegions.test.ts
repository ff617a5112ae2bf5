/** Which candidates a request from a region may use, and which credentials open an endpoint to it. Rule: byok#declared-region. */
import { assert, describe, it } from "@effect/vitest"
import { type ByokCredential, Region } from "@gatewarden/contract"
import * as fc from "fast-check"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import type { VisibleEndpoint, VisibleModel } from "../../core/src/catalog/ownModels.ts"
import type { Candidate } from "../../core/src/policy/Candidate.ts"
import { compilePolicy } from "../../core/src/policy/CompiledPolicy.ts"
import { type Question, allows, permittedCandidates, prove } from "../../core/src/policy/decide.ts"
import { orderCandidates } from "../../core/src/policy/orderCandidates.ts"
import { regionFacts } from "../../core/src/policy/requestRules.ts"
import { smallestChangeOf } from "../../core/src/policy/smallestChange.ts"
import { runSteps } from "../value/runSteps.ts"
import { guardrail, normalise } from "../decision/worlds.ts"

const declared = fc.constantFrom(null, ...Region.options)

const credential = fc
  .record({
    declared_region: declared,
    is_fallback: fc.boolean(),
    is_required: fc.boolean(),
    provider: fc.constantFrom("azure", "openai")
  })
  .map((fields): Omit<ByokCredential, "id" | "sort_order"> => ({
    workspace_id: "w",
    name: null,
    label: "...",
    disabled: false,
    is_byok_only: false,
    declared_zdr: null,
    allowed_api_key_hashes: null,
    allowed_models: null,
    allowed_user_ids: null,
    created_at: "2026-01-01T00:00:00.000Z",
    ...fields
  }))

const endpoint = fc
  .record({
    provider: fc.constantFrom("azure", "openai"),
    data_regions: fc.uniqueArray(fc.constantFrom(...Region.options), { minLength: 1 }),
    is_private: fc.constantFrom(true, false, false)
  })
  .map(({ provider, data_regions, is_private }): VisibleEndpoint => ({
    ...catalogEndpoint(provider, { data_regions }),
    model_name: "one",
    ...(is_private ? { upstream: { base_url: "https://x.example.com", model: "m" } } : {})
  }))

const model = fc
  .tuple(fc.array(endpoint, { minLength: 1, maxLength: 3 }), fc.constantFrom("text", "text", "video"))
  .map(([endpoints, output]): VisibleModel => ({
    ...catalogModel("a/one", { architecture: { input_modalities: ["text"], output_modalities: [output] } }),
    endpoints
  }))

const world = fc
  .record({ models: model.map((one) => [one]), credentials: fc.array(credential, { maxLength: 4 }) })
  .map(({ models, credentials }) => {
    const named = credentials.map((one, at): ByokCredential => ({ ...one, id: String(at), sort_order: at }))
    const asking = { api_key_hash: "0".repeat(64), user_id: null }
    const candidates = orderCandidates({ models, credentials: named, zdrGroups: new Map() }, asking, {})
    const video = models.some(({ architecture }) => architecture.output_modalities.includes("video"))
    const declaredBy = new Map(named.map(({ id, declared_region }) => [id, declared_region]))
    /** What the rule says, from the endpoint as the catalog has it. */
    const serves = ({ endpoint: { data_regions, upstream }, byok_id }: Candidate, region: Region): boolean => {
      if (region === "global") return true
      const own = byok_id === null ? null : (declaredBy.get(byok_id) ?? null)
      if (own === null || own === "global") return data_regions.includes(region)
      if (own !== region) return false
      const follows = upstream === undefined && !video && data_regions.every((one) => one === "global")
      return follows || data_regions.includes(region)
    }
    return { candidates, serves }
  })

const asks = (
  candidates: readonly Candidate[],
  ingress_region: Region,
  guardrails: Parameters<typeof compilePolicy>[0]
) =>
  ({
    policy: compilePolicy(guardrails, normalise),
    terms: { ingress_region, provider: {} },
    models: ["a/one"],
    is_listed: true,
    candidates,
    objections: []
  }) satisfies Question

const region = fc.constantFrom(...Region.options)
const free = () => ({ nanos: 0n, byok: false })

describe("a request from a region", () => {
  it("uses exactly the candidates that lie there, in their order", () => {
    fc.assert(
      fc.property(world, region, ({ candidates, serves }, asked) => {
        const expected = candidates.filter(
          (one) => one.claims.length === 0 && one.lacks_credential !== true && serves(one, asked)
        )
        const question = asks(candidates, asked, [])
        assert.deepStrictEqual(permittedCandidates(question), expected)
        assert.deepStrictEqual(
          prove(question, [], free).candidates.flatMap(({ candidate, objections }) =>
            objections.length === 0 ? [candidate] : []
          ),
          expected
        )
      }),
      { numRuns: 2000 }
    )
  })

  it("never uses shared capacity or an undeclared credential where the endpoint does not lie in the region", () => {
    fc.assert(
      fc.property(world, fc.constantFrom("europe" as const, "us" as const), ({ candidates }, asked) => {
        for (const { endpoint: one, source, declared_region } of permittedCandidates(asks(candidates, asked, [])))
          if (!one.data_regions.includes(asked))
            assert.deepEqual({ source, declared_region }, { source: "byok", declared_region: asked })
      }),
      { numRuns: 2000 }
    )
  })

  it("is told of the candidates that lie there, and no change of a declaration is proposed", () => {
    fc.assert(
      fc.property(world, region, ({ candidates, serves }, asked) => {
        const question = asks(candidates, asked, [])
        const facts = regionFacts(question.policy, question.terms, candidates)
        assert.deepStrictEqual(facts.served, [
          { region: asked, candidates: candidates.filter((one) => serves(one, asked)) }
        ])
        const change = runSteps(smallestChangeOf(question, [], free)).value
        if (facts.missing.includes("endpoint")) assert.isNull(change)
        for (const { field } of change ?? []) assert.match(field, /^byok\..+\.is_required$/)
      }),
      { numRuns: 1000 }
    )
  })

  it("is refused if a guardrail closes the region, whatever is declared", () => {
    fc.assert(
      fc.property(world, guardrail, region, ({ candidates }, one, asked) => {
        const closed = Region.options.filter((other) => other !== asked)
        const question = asks(candidates, asked, [
          { scope: "workspace", guardrail: { ...one, allowed_data_regions: closed } }
        ])
        assert.deepEqual(permittedCandidates(question), [])
        assert.isFalse(allows(prove(question, [], free)))
      })
    )
  })
})
