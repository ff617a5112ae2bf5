import { assert, describe, it } from "@effect/vitest"
import {
  type ChatMessage,
  type Guardrail,
  type KeyRateLimits,
  type PolicyEdit,
  reasons
} from "@gatewarden/contract/internal"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import { Clock, Effect } from "effect"
import * as fc from "fast-check"
import { compileFilters } from "../../core/src/filter/CompiledFilters.ts"
import { scanMessages } from "../../core/src/filter/scanMessages.ts"
import { type SpendingKey, budgetsOf } from "../../core/src/ledger/budgetsOf.ts"
import { estimateCost } from "../../core/src/ledger/estimateCost.ts"
import { rateObjections } from "../../core/src/ledger/judgeKeyRates.ts"
import { type Candidate, candidateOf } from "../../core/src/policy/Candidate.ts"
import { compilePolicy, policyOf } from "../../core/src/policy/CompiledPolicy.ts"
import { type Policy, meetPolicies, openRegions, unrestrictedPolicy } from "../../core/src/policy/Policy.ts"
import { type Question, affordable, allows, permittedCandidates, prove } from "../../core/src/policy/decide.ts"
import { denialOf } from "../../core/src/policy/denial.ts"
import { objectionsTo, permits } from "../../core/src/policy/judgeCandidate.ts"
import type { RequestTerms } from "../../core/src/policy/requestRules.ts"
import { smallestChange, smallestChangeOf } from "../../core/src/policy/smallestChange.ts"
import { runSteps } from "../value/runSteps.ts"
import type { BudgetState } from "../../core/src/ports/ledger.ts"
import { unrestricted } from "../../core/src/ports/guardrails.ts"
import type { AppliedGuardrail } from "../../core/src/ports/policySources.ts"
import type { Objection } from "../../core/src/value/issues.ts"
import { editGuardrails, editIngress, editLimits, editPreferences, editRates } from "../decision/applyEdits.ts"
import { applied, candidate, candidates, guardrail, messages, normalise, statesOf, terms } from "../decision/worlds.ts"
import { emptySize } from "../ledger/sizes.ts"

const policy = guardrail.map((one) => policyOf(one, normalise))

/** Sets compare by what is in them. */
const plain = (one: Policy) =>
  Object.fromEntries(
    Object.entries(one).map(([field, value]) => [field, value instanceof Set ? [...value].sort() : value])
  )
const same = (a: Policy, b: Policy) => assert.deepEqual(plain(a), plain(b))

describe("meetPolicies", () => {
  it("is commutative, associative and idempotent, with the unrestricted policy as its neutral element", () => {
    fc.assert(
      fc.property(policy, policy, policy, (a, b, c) => {
        same(meetPolicies([a, b]), meetPolicies([b, a]))
        same(meetPolicies([meetPolicies([a, b]), c]), meetPolicies([a, meetPolicies([b, c])]))
        same(meetPolicies([a, a]), a)
        same(meetPolicies([a, unrestrictedPolicy]), a)
      })
    )
    same(meetPolicies([]), unrestrictedPolicy)
  })
})

const anywhere: RequestTerms = { ingress_region: "global", provider: {} }

describe("permits", () => {
  it("permits exactly what no guardrail and no preference objects to", () => {
    fc.assert(
      fc.property(applied, terms, candidate, (guardrails, asked, one) => {
        const compiled = compilePolicy(guardrails, normalise)
        assert.strictEqual(permits(compiled, asked, one), objectionsTo(compiled, asked, one).length === 0)
      }),
      { numRuns: 400 }
    )
  })

  it("never permits more with another guardrail, or with a preference", () => {
    fc.assert(
      fc.property(applied, guardrail, terms, candidate, (guardrails, another, asked, one) => {
        const compiled = compilePolicy(guardrails, normalise)
        const narrower = compilePolicy([...guardrails, { scope: "key", guardrail: another }], normalise)
        assert.isTrue(permits(compiled, asked, one) || !permits(narrower, asked, one))
        const free = { ...asked, provider: {} }
        assert.isTrue(permits(compiled, free, one) || !permits(compiled, asked, one))
      }),
      { numRuns: 400 }
    )
  })

  it("denies everything where lists have nothing in common", () => {
    fc.assert(
      fc.property(guardrail, guardrail, candidate, (a, b, one) => {
        const compiled = compilePolicy(
          [
            { scope: "member", guardrail: { ...a, allowed_providers: ["openai"] } },
            { scope: "key", guardrail: { ...b, allowed_providers: ["anthropic"] } }
          ],
          normalise
        )
        assert.isFalse(permits(compiled, anywhere, one))
      })
    )
  })

  it("knows a model by its slug and by its canonical slug", () => {
    fc.assert(
      fc.property(guardrail, candidate, (one, subject) => {
        const named = (name: string) => ({ ...one, allowed_models: [name], ignored_models: null })
        const asked = (name: string) =>
          permits(compilePolicy([{ scope: "key", guardrail: named(name) }], normalise), anywhere, subject)
        assert.strictEqual(asked(subject.model), asked(normalise(subject.model)))
      })
    )
  })
})

interface WorldOf {
  readonly guardrails: readonly AppliedGuardrail[]
  readonly terms: RequestTerms
  readonly candidates: readonly Candidate[]
  readonly states: readonly BudgetState[]
  readonly messages: readonly ChatMessage[]
  /** What is left of the rate limits of the key. */
  readonly rates: KeyRateLimits
}

const spender: SpendingKey = {
  hash: "0".repeat(64),
  workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
  user_id: "user",
  limit: 0.1,
  limit_reset: "weekly",
  include_byok_in_limit: false
}

const rates: fc.Arbitrary<KeyRateLimits> = fc.record({
  requests_per_minute: fc.constantFrom(null, null, 0, 1),
  tokens_per_minute: fc.constantFrom(null, 50, 150, 250, 350),
  parallel_requests: fc.constant(null)
})

/** The most tokens of a request, by its provider. */
const tokens: Readonly<Record<string, number>> = { openai: 100, anthropic: 200, acme: 400 }
const tokensOf = (some: readonly Candidate[]) => Math.max(0, ...some.map(({ provider }) => tokens[provider] ?? 300))

const ratesFor = (given: Pick<WorldOf, "rates">) => (some: readonly Candidate[]) =>
  rateObjections(given.rates, { requests: 0, tokens: 0, parallel: 0, resets_at: null }, tokensOf(some))

const world: fc.Arbitrary<WorldOf> = fc
  .record({ guardrails: applied, terms, candidates, messages, rates })
  .chain((rest) =>
    statesOf(
      budgetsOf(spender, rest.guardrails, { limits: [{ interval: "monthly", limit_usd: 0.15 }], include_byok: true })
    ).map((states) => ({ ...rest, states }))
  )

const costOf = ({ endpoint, source }: Candidate) => ({
  nanos: estimateCost(endpoint, { ...emptySize, text_bytes: 100, completion_tokens: 500 }),
  byok: source === "byok"
})

/** Nobody waits while it stands still, and nothing comes too late. */
const stillClock: Clock.Clock = {
  currentTimeMillisUnsafe: () => 0,
  currentTimeMillis: Effect.succeed(0),
  monotonicTimeNanosUnsafe: () => 0n,
  monotonicTimeNanos: Effect.succeed(0n),
  currentTimeNanosUnsafe: () => 0n,
  currentTimeNanos: Effect.succeed(0n),
  sleep: () => Effect.never
}

/** What the content filters of the guardrails find in the messages, as `admit` and `explain` have it found. */
const scanOf = ({ guardrails, messages: said }: Pick<WorldOf, "guardrails" | "messages">) =>
  Effect.runSync(
    scanMessages(compileFilters(guardrails), said, { reversible: false }).pipe(
      Effect.provideService(Clock.Clock, stillClock)
    )
  )

const questionOf = (given: WorldOf): Question => ({
  policy: compilePolicy(given.guardrails, normalise),
  terms: given.terms,
  models: given.candidates.map(({ model }) => model),
  is_listed: given.candidates.length > 0,
  candidates: given.candidates,
  objections: scanOf(given).objections
})

const admitted = (given: WorldOf): readonly Candidate[] => {
  const permitted = permittedCandidates(questionOf(given))
  return ratesFor(given)(permitted).length > 0 ? [] : affordable(permitted, given.states, costOf)
}

/** A question to which the rate limits object, as they do to what is permitted, or else to any candidate. */
const ratedQuestion = (given: WorldOf): Question => {
  const question = questionOf(given)
  const permitted = permittedCandidates(question)
  const used = ratesFor(given)(permitted.length > 0 ? permitted : question.candidates)
  return { ...question, objections: [...question.objections, ...used] }
}

const proofOf = (given: WorldOf) => prove(ratedQuestion(given), given.states, costOf)

const changeOf = (given: WorldOf) =>
  runSteps(smallestChangeOf(questionOf(given), given.states, costOf, ratesFor(given))).value

const changed = (given: WorldOf, edits: readonly PolicyEdit[]): WorldOf => ({
  ...given,
  guardrails: editGuardrails(given.guardrails, edits),
  terms: {
    ...given.terms,
    ingress_region: editIngress(given.terms.ingress_region, edits),
    provider: editPreferences(given.terms.provider, edits)
  },
  states: editLimits(given.states, edits),
  rates: editRates(given.rates, edits)
})

const withoutTokenLimit = (given: WorldOf): WorldOf => ({
  ...given,
  rates: { ...given.rates, tokens_per_minute: null }
})

/** Every proper part of a few edits, and of many those without one. */
const partsOf = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  items.length <= 4 ? subsets(items).slice(0, -1) : items.map((one) => items.filter((other) => other !== one))

const subsets = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  items.reduce<readonly (readonly T[])[]>((all, item) => [...all, ...all.map((some) => [...some, item])], [[]])

describe("decide", () => {
  it("explains what it decides: the same candidates, allowed exactly when one is left", () => {
    fc.assert(
      fc.property(world, (given) => {
        const proof = proofOf(given)
        const left = admitted(given)
        assert.strictEqual(allows(proof), left.length > 0)
        if (proof.general.length === 0)
          assert.deepEqual(
            proof.candidates.filter(({ objections }) => objections.length === 0).map((one) => one.candidate),
            left
          )
        else assert.lengthOf(left, 0)
      }),
      { numRuns: 400 }
    )
  })

  it("is not widened by another guardrail, budgets included", () => {
    fc.assert(
      fc.property(world, guardrail, (any, another) => {
        // Fewer candidates may use fewer tokens.
        const given = withoutTokenLimit(any)
        const before = admitted(given)
        const after = admitted({ ...given, guardrails: [...given.guardrails, { scope: "key", guardrail: another }] })
        assert.includeMembers([...before], [...after])
      })
    )
  })

  it("allows a candidate once every reason against it is gone", () => {
    fc.assert(
      fc.property(world, (any) => {
        // What the others use may hold it up by the limit of tokens all the same.
        const given = withoutTokenLimit(any)
        const { general, candidates: judged } = proofOf(given)
        for (const { candidate: one, objections } of judged) {
          const edits = [...general, ...objections].map(({ edit }) => edit)
          if (edits.includes(null)) continue
          const change = smallestChange(general, [objections])
          assert.include(admitted(changed(given, change ?? [])), one)
        }
      }),
      { numRuns: 250 }
    )
  })

  it("compares candidates that have the same objections once", () => {
    const [one = assert.fail()] = fc.sample(world, { numRuns: 1, seed: 1 }).flatMap(({ candidates }) => candidates)
    const guardrails = fc
      .sample(guardrail, { numRuns: 3, seed: 1 })
      .map((each) => ({ scope: "key" as const, guardrail: each }))
    const question: Question = {
      policy: compilePolicy(guardrails, normalise),
      terms: { ingress_region: "global", provider: {} },
      models: [one.model],
      is_listed: true,
      candidates: Array.from({ length: 1_000 }, (_, index) => ({ ...one, byok_id: `${index}` })),
      objections: []
    }
    let asked = 0
    const edit = { scope: "key_limit", guardrail_id: null, field: "requests_per_minute", from: 1, to: 2 } as const
    const change = runSteps(
      smallestChangeOf(question, [], costOf, () => {
        asked++
        return [{ reason: { scope: "key_limit", guardrail_id: null, field: "requests_per_minute", value: 1 }, edit }]
      })
    ).value
    assert.isAtLeast(change?.length ?? 0, 1)
    assert.isAtMost(asked, 3)
  })

  it("does not take a candidate without objections for one that no edit releases", () => {
    const [one = assert.fail()] = fc.sample(world, { numRuns: 1, seed: 1 }).flatMap(({ candidates }) => candidates)
    const [dear, free] = [
      { ...one, data_regions: ["global" as const], byok_id: "dear" },
      { ...one, data_regions: ["global" as const], byok_id: "free" }
    ]
    const question: Question = {
      policy: compilePolicy([], normalise),
      terms: { ingress_region: "global", provider: {} },
      models: [one.model],
      is_listed: true,
      candidates: [dear, free],
      objections: [],
      unpriced: ({ byok_id }) =>
        byok_id === "free"
          ? []
          : [{ reason: { scope: "catalog", guardrail_id: null, field: "pricing.prompt", value: null }, edit: null }]
    }
    assert.deepEqual(runSteps(smallestChangeOf(question, [], costOf)).value, [])
    assert.isNull(runSteps(smallestChangeOf({ ...question, candidates: [dear] }, [], costOf)).value)
  })

  it("finds a change that allows, of which no part does", () => {
    let found = 0
    let filtered = 0
    fc.assert(
      fc.property(world, (given) => {
        const proof = proofOf(given)
        const change = changeOf(given)
        if (allows(proof)) return assert.deepEqual(change, [])
        if (change === null) return
        found++
        if (change.some(({ field }) => field.startsWith("content_filter"))) filtered++
        assert.isNotEmpty(admitted(changed(given, change)))
        for (const part of partsOf(change)) assert.isEmpty(admitted(changed(given, part)))
      }),
      { numRuns: 400 }
    )
    assert.isAbove(found, 100)
    assert.isAbove(filtered, 30)
  })

  it("opens no region while the guardrails have one in common: the request is to come in by another one", () => {
    let through = 0
    fc.assert(
      fc.property(world, (given) => {
        const change = changeOf(given) ?? []
        const open = openRegions(questionOf(given).policy.effective)
        const opened = change.filter(({ field }) => field === "allowed_data_regions")
        if (open.length > 0) assert.isEmpty(opened)
        const ingress = editIngress(given.terms.ingress_region, change)
        if (ingress === given.terms.ingress_region) return
        through++
        assert.include(open, ingress)
        assert.notInclude(open, given.terms.ingress_region)
      }),
      { numRuns: 400 }
    )
    assert.isAbove(through, 20)
  })

  it("says what to answer, and why, for everything that it denies", () => {
    fc.assert(
      fc.property(world, (given) => {
        const proof = proofOf(given)
        if (allows(proof)) return
        const denial = denialOf(proof, scanOf(given).refusal)
        assert.include([402, 403, 404], denial.status)
        assert.include<number>(reasons[denial.reason].statuses, denial.status)
        assert.isNotEmpty(denial.reasons)
      })
    )
  })
})

/** Two candidates, of which a guardrail may ignore the second. */
const asked = (fields: Partial<Question> = {}, one: Partial<Guardrail> = {}): Question => ({
  policy: compilePolicy([{ scope: "key", guardrail: { ...plainGuardrail, ...one } }], normalise),
  terms: anywhere,
  models: ["a/one"],
  is_listed: true,
  candidates: ["acme", "xai"].map((provider) =>
    candidateOf(catalogModel("a/one"), catalogEndpoint(provider), new Map())
  ),
  objections: [],
  ...fields
})

const plainGuardrail: Guardrail = {
  ...unrestricted,
  id: "g",
  workspace_id: "w",
  name: "one",
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: null
}

const objection: Objection = {
  reason: { scope: "key", guardrail_id: "g", field: "content_filters.0", value: "x" },
  edit: null
}

const providersOf = (some: readonly Candidate[]) => some.map(({ provider }) => provider)

describe("permittedCandidates", () => {
  const permitted = (question: Question) => providersOf(permittedCandidates(question))

  it("has those that policy permits, in their order", () => {
    assert.deepEqual(permitted(asked()), ["acme", "xai"])
    assert.deepEqual(permitted(asked({}, { ignored_providers: ["acme"] })), ["xai"])
    assert.deepEqual(permitted(asked({}, { ignored_providers: ["acme", "xai"] })), [])
  })

  it("has none where the request as a whole is refused, or its region is closed", () => {
    assert.deepEqual(permitted(asked({ objections: [objection] })), [])
    assert.deepEqual(permitted(asked({}, { allowed_data_regions: ["us"] })), [])
    assert.deepEqual(permitted(asked({}, { allowed_data_regions: ["us", "global"] })), ["acme", "xai"])
  })

  it("leaves out those without a known price, under a budget", () => {
    const unpriced = ({ provider }: Candidate) => (provider === "acme" ? [objection] : [])
    assert.deepEqual(permitted(asked({ unpriced })), ["xai"])
    assert.deepEqual(permitted(asked({ unpriced }, { ignored_providers: ["xai"] })), [])
  })
})

describe("affordable", () => {
  const state = (limit_nanos: bigint): BudgetState => ({
    budget: { scope: "member", entity: "e", guardrail_id: "g", interval: "daily", limit_nanos, include_byok: false },
    window_start: null,
    spent_nanos: 0n,
    held_nanos: 0n
  })
  const cost = (nanos: number) => ({ nanos: BigInt(nanos), byok: false })

  it("has those that every budget can pay for, in their order", () => {
    assert.deepEqual(affordable([3, 1, 2], [state(2n)], cost), [1, 2])
    assert.deepEqual(affordable([3, 1, 2], [state(2n), state(1n)], cost), [1])
    assert.deepEqual(affordable([3, 1, 2], [state(1n), state(2n)], cost), [1])
    assert.deepEqual(affordable([3], [state(2n)], cost), [])
  })

  it("asks for no cost where there is no budget", () =>
    assert.deepEqual(
      affordable([3, 1], [], () => assert.fail("was asked")),
      [3, 1]
    ))
})

describe("prove", () => {
  it("says that the catalog has no endpoint of the models, by their name if it is one", () => {
    const general = (...models: readonly string[]) => prove(asked({ candidates: [], models }), [], costOf).general
    const absent = (value: unknown): Objection[] => [
      { reason: { scope: "catalog", guardrail_id: null, field: "model", value }, edit: null }
    ]
    assert.deepEqual(general("a/one"), absent("a/one"))
    assert.deepEqual(general("a/one", "b/two"), absent(["a/one", "b/two"]))
    assert.deepEqual(prove(asked(), [], costOf).general, [])
  })

  it("has the region before filters and limits, and these before what the catalog lacks", () => {
    const { general } = prove(
      asked({ candidates: [], objections: [objection] }, { allowed_data_regions: ["us"] }),
      [],
      costOf
    )
    assert.deepEqual(
      general.map(({ reason }) => reason.field),
      ["allowed_data_regions", "content_filters.0", "model"]
    )
  })

  it("allows a request if nothing is against it, and nothing against some candidate", () => {
    const allowed = (...args: Parameters<typeof asked>) => allows(prove(asked(...args), [], costOf))
    assert.isTrue(allowed())
    assert.isTrue(allowed({}, { ignored_providers: ["acme"] }))
    assert.isTrue(allowed({}, { ignored_providers: ["xai"] }))
    assert.isFalse(allowed({}, { ignored_providers: ["acme", "xai"] }))
    assert.isFalse(allowed({ objections: [objection] }))
    assert.isFalse(allowed({ candidates: [] }))
    assert.isFalse(allowed({ unpriced: () => [objection] }))
  })
})

describe("the meet of lists", () => {
  const met = (...ones: readonly Partial<Guardrail>[]) =>
    plain(meetPolicies(ones.map((one) => policyOf({ ...plainGuardrail, ...one }, normalise))))

  it("allows what all allow, and ignores what any ignores", () => {
    const [a, b] = [
      { allowed_providers: ["x", "y"], ignored_providers: ["p"] },
      { allowed_providers: ["y", "z", "w"], ignored_providers: ["q"] }
    ]
    for (const both of [met(a, b), met(b, a)])
      assert.deepInclude(both, { allowed_providers: ["y"], ignored_providers: ["p", "q"] })
    for (const one of [met(a), met(a, {}), met({}, a), met(a, a)])
      assert.deepInclude(one, { allowed_providers: ["x", "y"], ignored_providers: ["p"] })
  })
})
