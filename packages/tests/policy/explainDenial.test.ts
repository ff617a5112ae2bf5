/** The sentence for each reason of a denial, word by word. Rule: admissions#denials. */
import { assert, describe, it } from "@effect/vitest"
import type { AdmissionReason, Region } from "@gatewarden/contract/internal"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import { type Candidate, candidateOf } from "../../core/src/policy/Candidate.ts"
import { type Bill, issueOf, shortfallFacts, shortfallOf, shortfallText } from "../../core/src/policy/explainDenial.ts"
import type { RegionFacts } from "../../core/src/policy/requestRules.ts"
import type { Budget, BudgetState } from "../../core/src/ports/ledger.ts"

const guardrail_id = "6b0f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11"

const told = (scope: AdmissionReason["scope"], field: string, value: unknown, of: string | null = null): string =>
  issueOf({ scope, guardrail_id: of, field, value }).message

describe("issueOf", () => {
  it("has the field and the scope of the reason beside the sentence", () => {
    assert.deepEqual(issueOf({ scope: "key_limit", guardrail_id: null, field: "limit", value: 2 }), {
      path: "limit",
      code: "key_limit",
      message: "The key's limit is $2.00."
    })
  })

  it.each([
    ["api_key_hash", null, "No key of this account has this hash: it was never made here, or it was deleted."],
    ["disabled", true, "The key is disabled. Enable it with PATCH /keys/{hash}."],
    ["account_suspended", true, "The account of the key is suspended. The operator of this server can resume it."],
    ["revoked_at", "2026-01-02", "The key was revoked at 2026-01-02. Use another key."],
    ["expires_at", "2026-01-03", "The key ended at 2026-01-03. Use another key."],
    ["secret", null, "The key was rotated. Use its newest secret."],
    ["secret", "2026-01-04", "The key was rotated, and this secret of it ended at 2026-01-04. Use its newest secret."],
    ["kind", "management", "A management key cannot send model requests. Send the hash of an API key."]
  ])("tells what is wrong with the key itself: %s %s", (field, value, text) =>
    assert.strictEqual(told("key", field, value), text)
  )

  it.each([
    ["ingress_region", "europe", "The request came in through europe, and this endpoint does not lie there."],
    ["model", null, "Neither the request nor its preset names a model."],
    ["model", "a b", '"a b" is not the name of a model or preset.'],
    ["preset", "mine", 'The key\'s workspace has no preset "mine", or not this version of it.'],
    [
      "models",
      3,
      "The 3 models of the request have more endpoints and candidates than are judged at once. Name fewer models."
    ],
    ["tools", 33, "The request has at least 33 server tools, more than are judged at once. Send fewer."],
    [
      "tools",
      "search",
      'The key\'s workspace disables the server tool "search". Take it out of disabled_server_tools with PATCH /workspaces/{id}.'
    ],
    ["provider.only", ["acme"], 'The request\'s own provider.only rules this endpoint out: ["acme"].'],
    ["provider.zdr", true, "The request's own provider.zdr rules this endpoint out: true."]
  ])("tells what the request itself asks for: %s %s", (field, value, text) =>
    assert.strictEqual(told("request", field, value), text)
  )

  it.each([
    ["key_limit", "limit", 1.5, "The key's limit is $1.50."],
    ["workspace_budget", "budgets.monthly", 20, "The workspace's monthly budget is $20.00."],
    [
      "rate_limit",
      "requests_per_minute",
      60,
      "The key's limit of 60 requests per minute is used up. Retry later, or raise it with PUT /keys/{hash}/rate-limits."
    ],
    [
      "credential",
      "byok",
      "acme",
      'The workspace has no credential of "acme" that this key may use for this model, which its private endpoint needs. Add one with POST /byok.'
    ],
    [
      "credential",
      "byok.1.is_required",
      true,
      "A credential of the workspace rules this endpoint out: byok.1.is_required is true."
    ],
    ["catalog", "model", "a/one", 'The catalog has no endpoint of "a/one". Add it with PUT /gateway/catalog.'],
    [
      "catalog",
      "pricing.prompt",
      "-1",
      "The catalog does not know pricing.prompt of this endpoint, and a budget applies. Add it with PUT /gateway/catalog."
    ]
  ] as const)("tells of %s %s", (scope, field, value, text) => assert.strictEqual(told(scope, field, value), text))

  it.each([
    ["workspace", "The workspace's default guardrail"],
    [
      "workspace_default_member",
      "For each member, over all keys of the member in the workspace, the default guardrail"
    ],
    ["workspace_default_key", "For each key, the workspace's default guardrail"],
    ["member", "A guardrail of the key's user"],
    ["key", "A guardrail of the key"]
  ] as const)("names the guardrail by whom it applies to: %s", (scope, owner) => {
    assert.strictEqual(told(scope, "limit_usd", 0.125, guardrail_id), `${owner} has a limit of $0.125.`)
    assert.strictEqual(
      told(scope, "ignored_models", "a/one", guardrail_id),
      `${owner} (${guardrail_id}) rules this out: ignored_models is "a/one".`
    )
  })

  it("takes a field of a guardrail for no fact about the key, and a fact about the key alone for one", () => {
    assert.strictEqual(
      told("key", "disabled", true, guardrail_id),
      `A guardrail of the key (${guardrail_id}) rules this out: disabled is true.`
    )
    assert.strictEqual(
      told("member", "disabled", true),
      "A guardrail of the key's user (null) rules this out: disabled is true."
    )
  })

  it("shows 200 characters of a value, and of a longer one the first 200", () => {
    const shownOf = (length: number) => told("request", "provider.only", "x".repeat(length - 2)).split(": ")[1]
    assert.strictEqual(shownOf(200), `"${"x".repeat(198)}".`)
    assert.strictEqual(shownOf(201), `"${"x".repeat(199)}….`)
  })
})

const endpoints = (count: number): readonly Candidate[] =>
  Array.from({ length: count }, (_, index) =>
    candidateOf(catalogModel("a/one"), catalogEndpoint("acme", { tag: `acme/${index + 1}` }), new Map())
  )

const served = (region: Region, count: number) => ({ region, candidates: endpoints(count) })

/** What is added to the sentence. */
const regional = (field: string, facts: Pick<RegionFacts, "allowed" | "served">, ingress: Region = "us"): string => {
  const reason: AdmissionReason = { scope: "member", guardrail_id, field, value: true }
  const { message } = issueOf(reason, undefined, { ingress, missing: [], ...facts })
  assert.isTrue(message.startsWith(issueOf(reason).message))
  return message.slice(issueOf(reason).message.length)
}

const nowhere = (regions: string, queries: string) =>
  `No endpoint of the requested models has ${regions} in its data_regions. ${queries} lists models that have one; PUT /gateway/catalog adds an endpoint or its data_regions. A BYOK credential whose account lies there opens those of its provider, if it says so in declared_region.`

const sendTo = (region: string) =>
  `This request came in through us. Send it to a server with GATEWARDEN_REGION=${region} or to a host that GATEWARDEN_REGION_HOSTS lists for ${region}, or send "ingress_region": "${region}" with the admission.`

describe("a denial because of a region", () => {
  it("names the endpoints that lie there, each once", () => {
    const [one, two] = [served("us", 1), served("us", 2)]
    const told = (facts: RegionFacts["served"]) => regional("ingress_region", { allowed: ["us"], served: facts })
    assert.strictEqual(told([one]), " Endpoints that may serve it there: a/one at acme/1.")
    assert.strictEqual(told([two]), " Endpoints that may serve it there: a/one at acme/1, a/one at acme/2.")
    assert.strictEqual(
      told([{ ...two, candidates: [...two.candidates, ...two.candidates] }]),
      " Endpoints that may serve it there: a/one at acme/1, a/one at acme/2."
    )
  })

  it("names five endpoints, and how many more there are", () => {
    const told = (count: number) => regional("ingress_region", { allowed: ["us"], served: [served("us", count)] })
    const five =
      " Endpoints that may serve it there: a/one at acme/1, a/one at acme/2, a/one at acme/3, a/one at acme/4, a/one at acme/5"
    assert.strictEqual(told(5), `${five}.`)
    assert.strictEqual(told(6), `${five}, and 1 more.`)
    assert.strictEqual(told(8), `${five}, and 3 more.`)
  })

  it("names those of the first region that has some", () => {
    const told = regional("ingress_region", {
      allowed: ["europe", "us"],
      served: [served("europe", 0), served("us", 1)]
    })
    assert.strictEqual(told, " Endpoints that may serve it there: a/one at acme/1.")
  })

  it("tells how to find or add endpoints where none lies, by the words of the query", () => {
    const none = (...regions: readonly Region[]) =>
      regional("ingress_region", { allowed: regions, served: regions.map((region) => served(region, 0)) })
    assert.strictEqual(none("us"), ` ${nowhere("us", "GET /models?region=us")}`)
    assert.strictEqual(
      none("global", "europe"),
      ` ${nowhere("global or europe", "GET /models?region=any or GET /models?region=eu")}`
    )
  })

  it("tells where to send what came in through a closed region: where an endpoint lies, else where it may come in", () => {
    const told = (facts: RegionFacts["served"]) =>
      regional("allowed_data_regions", { allowed: ["global", "europe"], served: facts })
    assert.strictEqual(
      told([served("global", 0), served("europe", 1)]),
      ` ${sendTo("europe")} Endpoints that may serve it there: a/one at acme/1.`
    )
    assert.strictEqual(
      told([served("global", 0), served("europe", 0)]),
      ` ${sendTo("global")} ${nowhere("global or europe", "GET /models?region=any or GET /models?region=eu")}`
    )
  })

  it("tells that the guardrails leave no region", () => {
    assert.strictEqual(
      regional("allowed_data_regions", { allowed: [], served: [] }),
      " This request came in through us. The guardrails of this key have no region in common."
    )
  })

  it("adds nothing about regions to other reasons", () => {
    assert.strictEqual(regional("ignored_models", { allowed: ["us"], served: [served("us", 1)] }), "")
  })
})

const budgetOf = (fields: Partial<Budget>): Budget => ({
  scope: "member",
  entity: "e",
  guardrail_id,
  interval: "daily",
  limit_nanos: 10n,
  include_byok: false,
  ...fields
})

const stateOf = (fields: Partial<Budget>, spent_nanos = 0n, held_nanos = 0n): BudgetState => ({
  budget: budgetOf(fields),
  window_start: null,
  spent_nanos,
  held_nanos
})

const [cheap, dear] = endpoints(2)
/** The cheapest is neither the first nor the last. */
const all = [dear, cheap, dear].flatMap((one) => one ?? [])

/** The second endpoint costs 9, the first 4. */
const billOf = (states: readonly BudgetState[], assumed_tokens?: number): Bill => ({
  states,
  costOf: (candidate) => ({ nanos: candidate === cheap ? 4n : 9n, byok: false }),
  assumed_tokens
})

const limitOf = (of: string | null): AdmissionReason => ({
  scope: "member",
  guardrail_id: of,
  field: "limit_usd",
  value: 1
})

describe("shortfallOf", () => {
  it("is of the budget of the reason: by its scope, its guardrail and its field", () => {
    const states = [
      stateOf({ scope: "workspace_default_key", limit_nanos: 1n }),
      stateOf({ guardrail_id: "another", limit_nanos: 2n }),
      stateOf({ scope: "key_limit", guardrail_id: null, limit_nanos: 3n }),
      stateOf({ scope: "workspace_budget", guardrail_id: null, interval: "daily", limit_nanos: 4n }),
      stateOf({ scope: "workspace_budget", guardrail_id: null, interval: "weekly", limit_nanos: 5n }),
      stateOf({ limit_nanos: 6n })
    ]
    const limit = (scope: AdmissionReason["scope"], of: string | null, field: string) =>
      shortfallOf({ scope, guardrail_id: of, field, value: 1 }, billOf(states), all)?.budget.limit_nanos
    assert.strictEqual(limit("workspace_default_key", guardrail_id, "limit_usd"), 1n)
    assert.strictEqual(limit("member", "another", "limit_usd"), 2n)
    assert.strictEqual(limit("key_limit", null, "limit"), 3n)
    assert.strictEqual(limit("workspace_budget", null, "budgets.daily"), 4n)
    assert.strictEqual(limit("workspace_budget", null, "budgets.weekly"), 5n)
    assert.strictEqual(limit("member", guardrail_id, "limit_usd"), 6n)
    assert.isUndefined(limit("workspace_budget", null, "budgets.monthly"))
    assert.isUndefined(limit("member", guardrail_id, "ignored_models"))
    assert.isUndefined(limit("key", guardrail_id, "limit_usd"))
    assert.isUndefined(limit("member", "unknown", "limit_usd"))
  })

  it("has what is left beside what is spent and held, and what the cheapest candidate reserves", () => {
    const state = stateOf({}, 3n, 5n)
    assert.deepEqual(shortfallOf(limitOf(guardrail_id), billOf([state], 7), all), {
      budget: state.budget,
      left_nanos: 2n,
      held_nanos: 5n,
      reserved_nanos: 4n,
      assumed_tokens: 7
    })
    const left = (spent: bigint) => shortfallOf(limitOf(guardrail_id), billOf([stateOf({}, spent)]), all)?.left_nanos
    assert.deepEqual([left(9n), left(10n), left(11n)], [1n, 0n, 0n])
  })

  it("is of no candidate where budgets alone removed none", () =>
    assert.isUndefined(shortfallOf(limitOf(guardrail_id), billOf([stateOf({})]), [])))
})

describe("what is missing", () => {
  const missing = {
    budget: budgetOf({ limit_nanos: 2_000_000_000n }),
    left_nanos: 500_000_000n,
    held_nanos: 0n,
    reserved_nanos: 1_250_000_001n,
    assumed_tokens: undefined
  }

  it("is told with what is held and assumed, and with the remedy", () => {
    assert.strictEqual(
      shortfallText(missing),
      "This request reserves $1.250000001; $0.50 of the limit is left. Lower max_tokens or shorten the prompt, or raise the limit."
    )
    assert.strictEqual(
      shortfallText({ ...missing, held_nanos: 1n, assumed_tokens: 65_536 }),
      "This request reserves $1.250000001 (65,536 output tokens are assumed, because it sends no max_tokens); $0.50 of the limit is left, with $0.000000001 held by requests in flight. Send max_tokens, or raise the limit."
    )
  })

  it("is told as data, too", () => {
    const facts = { limit_usd: "2", left_usd: "0.5", reserved_usd: "1.250000001" }
    assert.deepEqual(shortfallFacts(missing), { ...facts, assumed_completion_tokens: null })
    assert.deepEqual(shortfallFacts({ ...missing, assumed_tokens: 7 }), { ...facts, assumed_completion_tokens: 7 })
  })

  it("follows the sentence of the reason, in place of what is said of regions", () => {
    const regions: RegionFacts = { ingress: "us", allowed: [], missing: [], served: [] }
    const reason = { ...limitOf(guardrail_id), field: "ingress_region", value: 1 }
    assert.strictEqual(
      issueOf(reason, missing, regions).message,
      `${issueOf(reason).message} ${shortfallText(missing)}`
    )
  })
})
