/** The fewest edits that permit a request, case by case. Rule: admissions#explanations. */
import { assert, describe, it } from "@effect/vitest"
import type { Guardrail, PolicyEdit, Region } from "@gatewarden/contract/internal"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import { rateObjections } from "../../core/src/ledger/judgeKeyRates.ts"
import { type Candidate, candidateOf } from "../../core/src/policy/Candidate.ts"
import { compilePolicy } from "../../core/src/policy/CompiledPolicy.ts"
import type { Question } from "../../core/src/policy/decide.ts"
import { smallestChange, smallestChangeOf } from "../../core/src/policy/smallestChange.ts"
import { runSteps } from "../value/runSteps.ts"
import { unrestricted } from "../../core/src/ports/guardrails.ts"
import type { AppliedGuardrail } from "../../core/src/ports/policySources.ts"
import type { Objection } from "../../core/src/value/issues.ts"

const objectionOf = (edit: PolicyEdit): Objection => {
  const { scope, guardrail_id, field, from, to } = edit
  const at = { scope, guardrail_id, field }
  if (!Array.isArray(from)) return { reason: { ...at, value: from }, edit }
  const left = (to ?? []) as readonly string[]
  const has = (list: readonly unknown[], item: unknown) =>
    list.some((one) => JSON.stringify(one) === JSON.stringify(item))
  const removed = new Set(from.filter((item) => !has(left, item)))
  const added = new Set(left.filter((item) => !has(from, item)))
  return { reason: { ...at, value: from }, edit: { ...at, from, removed, added } }
}

const [one, two] = ["6b0f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11", "7b0f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e22"]

const editOf = (fields: Partial<PolicyEdit>): PolicyEdit => ({
  scope: "key",
  guardrail_id: one,
  field: "enable_paid_model_training",
  from: false,
  to: true,
  ...fields
})

const edits = (...all: readonly Partial<PolicyEdit>[]): readonly Objection[] =>
  all.map((fields) => objectionOf(editOf(fields)))

const final: Objection = {
  reason: { scope: "catalog", guardrail_id: null, field: "model", value: "a/one" },
  edit: null
}

/** What is left of a list of which each edit leaves something else. */
const merged = (from: unknown, ...lists: readonly unknown[]) => {
  const change = smallestChange([], [edits(...lists.map((to) => ({ field: "list", from, to })))])
  assert.lengthOf(change ?? [], 1)
  return change?.[0]?.to
}

describe("smallestChange", () => {
  it("is empty where nothing is objected, and none where nothing can be asked", () => {
    assert.deepEqual(smallestChange([], [[]]), [])
    assert.isNull(smallestChange([], []))
  })

  it("is that of the candidate with the fewest edits, the first of equals, beside those of the whole request", () => {
    const [a, b, c] = [edits({ field: "a" }), edits({ field: "b" }), edits({ field: "c" })]
    const fields = (candidates: readonly (readonly Objection[])[]) =>
      smallestChange(edits({ field: "general" }), candidates)?.map(({ field }) => field)
    assert.deepEqual(fields([[...a, ...b], c]), ["general", "c"])
    assert.deepEqual(fields([c, [...a, ...b]]), ["general", "c"])
    assert.deepEqual(fields([a, b]), ["general", "a"])
    assert.deepEqual(fields([[...a, ...b]]), ["general", "a", "b"])
  })

  it("leaves out a candidate that no edit releases, and is none where that is all of them, or the whole request", () => {
    const [a] = [edits({ field: "a" })]
    assert.deepEqual(smallestChange([], [[final], [...a, final], a]), [editOf({ field: "a" })])
    assert.isNull(smallestChange([], [[final], [...a, final]]))
    assert.isNull(smallestChange([final], [[], a]))
  })

  it("edits a field once, however often its guardrail applies, and each guardrail apart", () => {
    const [member, key] = [editOf({ scope: "member" }), editOf({ scope: "key" })]
    assert.deepEqual(smallestChange([], [edits(member, key)]), [member])
    const other = editOf({ guardrail_id: two })
    assert.deepEqual(smallestChange([], [edits(member, other)]), [member, other])
    const [limit, budget] = [
      editOf({ scope: "key_limit", guardrail_id: null, field: "limit" }),
      editOf({ scope: "workspace_budget", guardrail_id: null, field: "limit" })
    ]
    assert.deepEqual(smallestChange([], [edits(limit, budget)]), [limit, budget])
  })

  it("raises a limit to the largest that is needed, and removes one that has to go", () => {
    const limit = (scope: "member" | "key", to: number | null) => ({ scope, field: "limit_usd", from: 1, to })
    for (const [a, b, expected] of [
      [limit("member", 2), limit("key", 3), limit("key", 3)],
      [limit("member", 3), limit("key", 2), limit("member", 3)],
      [limit("member", 2), limit("key", 2), limit("member", 2)],
      [limit("member", null), limit("key", 2), limit("member", null)],
      [limit("member", 2), limit("key", null), limit("key", null)],
      [limit("member", 10), limit("key", 9), limit("member", 10)]
    ] as const)
      assert.deepEqual(smallestChange([], [edits(a, b)]), [editOf(expected)])
  })

  it("takes from a list what either takes, and adds what either adds, each once", () => {
    const from = ["a", "b", "c"]
    assert.deepEqual(merged(from, ["b", "c"], ["a", "c"]), ["c"])
    assert.deepEqual(merged(from, [...from, "x"], [...from, "y"]), [...from, "x", "y"])
    assert.deepEqual(merged(from, [...from, "x"], [...from, "x"]), [...from, "x"])
    assert.deepEqual(merged(from, ["b", "c"], [...from, "x"]), ["b", "c", "x"])
    assert.deepEqual(merged(from, null, [...from, "x"]), ["x"])
    assert.deepEqual(merged(from, [...from, "x"], null), ["x"])
    assert.deepEqual(merged(["a"], ["a"], ["a"]), ["a"])
  })

  it("writes a list of which nothing is left as none", () => {
    assert.isNull(merged(["a", "b"], ["b"], ["a"]))
    assert.isNull(merged(["a", "b"], null, ["a"]))
  })

  it("compares filters by what they say", () => {
    const [a, b, c] = ["a", "b", "c"].map((pattern) => ({ pattern, action: "block" }))
    assert.deepEqual(merged([a, b, c], [{ ...b }, { ...c }], [{ ...a }, { ...c }]), [c])
  })
})

const candidateAt = (provider: string, fields: Partial<Candidate> = {}): Candidate => ({
  ...candidateOf(
    catalogModel("a/one"),
    catalogEndpoint(provider, { pricing: { prompt: "1", completion: "1" } }),
    new Map()
  ),
  ...fields
})

const applied = (
  fields: Partial<Guardrail>,
  scope: AppliedGuardrail["scope"] = "key",
  id: string = one
): AppliedGuardrail => ({
  scope,
  guardrail: {
    ...unrestricted,
    id,
    workspace_id: two,
    name: "one",
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: null,
    ...fields
  }
})

const asks = (
  guardrails: readonly AppliedGuardrail[],
  candidates: readonly Candidate[],
  fields: Partial<Question> & { readonly region?: Region } = {}
): Question => ({
  policy: compilePolicy(guardrails, (name) => name),
  terms: { ingress_region: fields.region ?? "global", provider: {} },
  models: ["a/one"],
  is_listed: true,
  candidates,
  objections: [],
  ...fields
})

const free = () => ({ nanos: 0n, byok: false })

/** The most tokens of a request, by provider; what nobody knows takes most. */
const tokens: Readonly<Record<string, number>> = { small: 100, middle: 200 }
const tokensOf = (some: readonly Candidate[]) => Math.max(0, ...some.map(({ provider }) => tokens[provider] ?? 1000))

/** The change, with a limit on tokens a minute, as field and new value. */
const changeOf = (question: Question, tokens_per_minute: number | null, requests_per_minute: number | null = null) => {
  const limits = { requests_per_minute, tokens_per_minute, parallel_requests: null }
  const use = { requests: 0, tokens: 0, parallel: 0, resets_at: null }
  const ratesFor = (some: readonly Candidate[]) => rateObjections(limits, use, tokensOf(some))
  const change = runSteps(smallestChangeOf(question, [], free, ratesFor)).value
  return change === null ? null : change.map(({ field, to }) => [field, to])
}

const [small, middle] = [candidateAt("small"), candidateAt("middle")]

describe("a change where tokens are limited", () => {
  it("raises the limit for the candidates that it permits, and for no other", () => {
    const ignoring = [applied({ ignored_providers: ["small", "middle"] })]
    assert.deepEqual(changeOf(asks(ignoring, [small, middle]), 50), [
      ["tokens_per_minute", 100],
      ["ignored_providers", ["middle"]]
    ])
    const allowing = [applied({ allowed_providers: ["other"] })]
    assert.deepEqual(changeOf(asks(allowing, [small, middle]), 50), [
      ["tokens_per_minute", 100],
      ["allowed_providers", ["other", "small"]]
    ])
    const both = [applied({ ignored_providers: ["small", "middle"], allowed_providers: ["other"] })]
    assert.deepEqual(changeOf(asks(both, [small, middle]), 50), [
      ["tokens_per_minute", 100],
      ["allowed_providers", ["other", "small"]],
      ["ignored_providers", ["middle"]]
    ])
  })

  it("raises it for all that the change permits, whichever of them it is made for", () => {
    const training = [applied({ enable_paid_model_training: false })]
    const [a, b] = [
      { ...small, trains: true },
      { ...middle, trains: true }
    ]
    const expected = [
      ["tokens_per_minute", 200],
      ["enable_paid_model_training", true]
    ]
    assert.deepEqual(changeOf(asks(training, [a, b]), 50), expected)
    assert.deepEqual(changeOf(asks(training, [b, a]), 50), expected)
  })

  it("counts a candidate of which it takes every name from a list, and none of which it leaves one", () => {
    const ignoring = [applied({ ignored_providers: ["p", "q"] })]
    const [p, q] = [["p"], ["q"]]
    const change = (...names: readonly (readonly [string[], string[]])[]) =>
      names.map(([a, b]) =>
        changeOf(
          asks(ignoring, [
            { ...small, provider_names: a },
            { ...middle, provider_names: b }
          ]),
          50
        )
      )
    const [ofBoth, ofOne] = change([["p", "q"], q], [q, ["p", "q"]])
    assert.deepEqual(ofBoth, [
      ["tokens_per_minute", 200],
      ["ignored_providers", null]
    ])
    assert.deepEqual(ofOne, [
      ["tokens_per_minute", 100],
      ["ignored_providers", p]
    ])
  })

  it("counts no candidate that something else removes", () => {
    const training = { enable_paid_model_training: false }
    const given = (guardrails: Partial<Guardrail>, other: Candidate) =>
      changeOf(asks([applied({ ...training, ...guardrails })], [{ ...small, trains: true }, other]), 50)
    const expected = [
      ["tokens_per_minute", 100],
      ["enable_paid_model_training", true]
    ]
    assert.deepEqual(given({ ignored_providers: ["middle"] }, { ...middle, trains: true }), expected)
    assert.deepEqual(given({}, { ...middle, trains: true, lacks_credential: true }), expected)
    assert.deepEqual(given({}, { ...middle, trains: true, claims: [{ byok_id: "1", field: "is_required" }] }), expected)
  })

  it("knows what it permits where a guardrail applies twice", () => {
    const fields = { ignored_providers: ["small", "middle"] }
    assert.deepEqual(changeOf(asks([applied(fields, "member"), applied(fields, "key")], [small, middle]), 50), [
      ["tokens_per_minute", 100],
      ["ignored_providers", ["middle"]]
    ])
  })

  it("prefers the candidate for which no limit has to be raised, wherever it is", () => {
    const ignoring = [applied({ ignored_providers: ["small", "middle"] })]
    const expected = [["ignored_providers", ["middle"]]]
    assert.deepEqual(changeOf(asks(ignoring, [middle, small]), 150), expected)
    assert.deepEqual(changeOf(asks(ignoring, [small, middle]), 150), expected)
  })

  it("raises the limits that every request exceeds, too", () => {
    const ignoring = [applied({ ignored_providers: ["small"] })]
    assert.deepEqual(changeOf(asks(ignoring, [small]), 100, 0), [
      ["requests_per_minute", 1],
      ["ignored_providers", null]
    ])
    assert.deepEqual(changeOf(asks(ignoring, [small]), 100), [["ignored_providers", null]])
    assert.deepEqual(changeOf(asks([], [small]), 99), [["tokens_per_minute", 100]])
  })

  it("is none where no edit releases a candidate or the request", () => {
    const lacking: Candidate = { ...middle, lacks_credential: true }
    assert.isNull(changeOf(asks([], [lacking]), 50))
    assert.isNull(changeOf(asks([], [small], { objections: [final] }), 50))
    assert.isNull(changeOf(asks([], [small], { objections: [final] }), null))
    assert.deepEqual(changeOf(asks([], [lacking, small]), 50), [["tokens_per_minute", 100]])
    assert.deepEqual(changeOf(asks([], [small, lacking]), 50), [["tokens_per_minute", 100]])
  })
})

describe("a change for a request from a region", () => {
  const regions = (...allowed: readonly Region[]): Partial<Guardrail> => ({ allowed_data_regions: [...allowed] })
  const ingress = (from: Region, to: Region): PolicyEdit => ({
    scope: "request",
    guardrail_id: null,
    field: "ingress_region",
    from,
    to
  })
  const change = (
    guardrails: readonly AppliedGuardrail[],
    region: Region,
    ...data_regions: readonly (readonly Region[])[]
  ) =>
    runSteps(
      smallestChangeOf(
        asks(
          guardrails,
          data_regions.map((some) => candidateAt("small", { data_regions: some })),
          { region }
        ),
        [],
        free
      )
    ).value

  it("has nothing to change where the region is open", () => {
    assert.deepEqual(change([applied(regions("us"))], "us", ["us"]), [])
    assert.deepEqual(change([], "us", ["us"]), [])
  })

  it("sends the request through the first open region that an endpoint serves, and opens none", () => {
    const guardrails = [applied(regions("europe", "us"))]
    assert.deepEqual(change(guardrails, "global", ["us"]), [ingress("global", "us")])
    assert.deepEqual(change(guardrails, "global", ["us"], ["europe"]), [ingress("global", "europe")])
    assert.deepEqual(change([applied(regions("us"))], "europe", ["us"]), [ingress("europe", "us")])
    assert.isNull(change(guardrails, "global", ["global"]))
  })

  it("takes the open region that needs the fewest other edits", () => {
    const guardrails = [applied({ ...regions("europe", "us"), ignored_providers: ["middle"] })]
    const question = asks(guardrails, [
      candidateAt("middle", { data_regions: ["europe"] }),
      candidateAt("small", { data_regions: ["us"] })
    ])
    assert.deepEqual(runSteps(smallestChangeOf(question, [], free)).value, [ingress("global", "us")])
  })

  it("opens the region in every guardrail that closes it, where they have none in common", () => {
    const guardrails = [
      applied(regions("europe"), "member", two),
      applied(regions("us", "global"), "workspace", "3"),
      applied(regions("us"), "key")
    ]
    assert.deepEqual(change(guardrails, "global", ["us"]), [
      {
        scope: "member",
        guardrail_id: two,
        field: "allowed_data_regions",
        from: ["europe"],
        to: ["europe", "global"]
      },
      { scope: "key", guardrail_id: one, field: "allowed_data_regions", from: ["us"], to: ["us", "global"] }
    ])
  })
})
