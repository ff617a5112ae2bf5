import { assert, describe, it } from "@effect/vitest"
import { type AdmissionReason, BudgetInterval } from "@gatewarden/contract/internal"
import type { JudgedCandidate, Proof } from "../../core/src/policy/decide.ts"
import { denialOf, printedRefusal } from "../../core/src/policy/denial.ts"
import { affords } from "../../core/src/ledger/judgeHolds.ts"
import type { Budget } from "../../core/src/ports/ledger.ts"
import { refusalWith } from "../../core/src/value/issues.ts"

const guardrail_id = "6b0f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11"
const workspaceBudget = (interval: string, value: number): AdmissionReason => ({
  scope: "workspace_budget",
  guardrail_id: null,
  field: `budgets.${interval}`,
  value
})
const keyLimit: AdmissionReason = { scope: "key_limit", guardrail_id: null, field: "limit", value: 1.5 }
const guardrailLimit: AdmissionReason = { scope: "member", guardrail_id, field: "limit_usd", value: 0.125 }
const policy = (field: string): AdmissionReason => ({ scope: "workspace", guardrail_id, field, value: true })

/** Nothing against the request, and what there is against each candidate. */
const proof = (...candidates: readonly (readonly AdmissionReason[])[]): Proof => ({
  models: ["acme/sonnet"],
  is_listed: true,
  general: [],
  regions: { ingress: "global", allowed: ["global"], missing: [], served: [] },
  candidates: candidates.map(
    (reasons) => ({ objections: reasons.map((reason) => ({ reason, edit: null })) }) as unknown as JudgedCandidate
  )
})

const told = (given: Proof) => {
  const { status, reason, message } = denialOf(given)
  return [status, reason, message]
}

describe("denialOf", () => {
  it("names the broadest budget of the workspace, else the key's limit, else a guardrail's", () => {
    const budgets = BudgetInterval.options.map((interval, index) => workspaceBudget(interval, index + 1))
    for (const [index, interval] of BudgetInterval.options.entries())
      assert.deepEqual(told(proof([guardrailLimit, keyLimit, ...budgets.slice(0, index + 1)])), [
        403,
        "workspace_budget_exceeded",
        `Workspace ${interval} budget of $${index + 1}.00 exceeded. Contact your org admin.`
      ])
    assert.deepEqual(told(proof([guardrailLimit, keyLimit])), [
      402,
      "key_limit_exceeded",
      "Key limit of $1.50 exceeded."
    ])
    assert.deepEqual(told(proof([guardrailLimit])), [
      403,
      "guardrail_budget_exceeded",
      "Guardrail budget of $0.125 exceeded."
    ])
  })

  it("tells of the key's own money what is missing, and of a workspace's nothing", () => {
    const state = (scope: Budget["scope"], interval: Budget["interval"], limit_nanos: bigint, spent_nanos: bigint) => ({
      budget: { scope, entity: "e", guardrail_id: null, interval, limit_nanos, include_byok: false },
      window_start: null,
      spent_nanos,
      held_nanos: 0n
    })
    const bill = {
      states: [
        state("key_limit", "lifetime", 1_500_000_000n, 400_000_000n),
        state("workspace_budget", "daily", 2_000_000_000n, 1_999_999_999n)
      ],
      costOf: () => ({ nanos: 1_200_000_000n, byok: false }),
      assumed_tokens: 4096
    }
    const missing =
      "This request reserves $1.20 (4,096 output tokens are assumed, because it sends no max_tokens); $1.10 of the limit is left. Send max_tokens, or raise the limit."
    const own = denialOf(proof([keyLimit]), undefined, bill)
    assert.strictEqual(own.message, `Key limit of $1.50 exceeded. ${missing}`)
    assert.deepEqual(own.issues, [
      { path: "limit", code: "key_limit", message: `The key's limit is $1.50. ${missing}` }
    ])
    const capped = denialOf(proof([keyLimit]), undefined, { ...bill, assumed_tokens: undefined })
    assert.include(capped.message, "reserves $1.20; $1.10 of the limit is left. Lower max_tokens")
    const shared = denialOf(proof([workspaceBudget("daily", 2)]), undefined, bill)
    assert.deepEqual(printedRefusal(shared, "errors/"), {
      code: 403,
      message: "Workspace daily budget of $2.00 exceeded. Contact your org admin.",
      metadata: { reason: "workspace_budget_exceeded", doc_url: "errors/workspace_budget_exceeded" }
    })
    assert.include(shared.issues[0]?.message, "$0.000000001 of the limit is left")
  })

  it("speaks of money only where policy leaves a candidate to pay for", () => {
    const none = "No endpoints available matching your guardrail restrictions and data policy."
    assert.deepEqual(told(proof([policy("ignored_providers"), keyLimit])), [404, "no_endpoint_allowed", none])
    const [status, , message] = told(proof([policy("ignored_providers"), keyLimit], [guardrailLimit]))
    assert.deepEqual([status, message], [403, "Guardrail budget of $0.125 exceeded."])
  })

  const availability = (...fields: readonly string[]) =>
    denialOf(proof(...fields.map((field) => [policy(field)]))).availability
  const removed = { retryable: false, requested_models: ["acme/sonnet"] }

  it.each([
    ["enforce_zdr_openai", "data_policy:zdr"],
    ["provider.zdr", "data_policy:zdr"],
    ["enable_paid_model_training", "data_policy:training"],
    ["enable_free_model_publication", "data_policy:training"],
    ["provider.data_collection", "data_policy:training"]
  ])("says that privacy left nothing, and every word that did, once: %s", (field, word) =>
    assert.deepEqual(availability("ignored_models", field, field), {
      ...removed,
      code: "privacy_restricted",
      excluded_by: ["ignored_models", word]
    })
  )

  it.each([
    ["allowed_data_regions", "data_region"],
    ["ingress_region", "data_region"],
    ["allowed_providers", "allowed_providers"],
    ["ignored_providers", "allowed_providers"],
    ["provider.only", "allowed_providers"],
    ["provider.ignore", "allowed_providers"],
    ["provider.allow_fallbacks", "allowed_providers"],
    ["provider.max_price", "max_price"],
    ["provider.quantizations", "quantization"],
    ["provider.require_parameters", "require_parameters"],
    ["context_length", "context_length"],
    ["ignored_models", "ignored_models"]
  ])("says which constraint left nothing, by the word of the public API: %s", (field, word) =>
    assert.deepEqual(availability(field), {
      ...removed,
      code: "constraint_filtered",
      excluded_by: [word],
      constraint: { field: word, detail: `Endpoints were removed by ${field}.` }
    })
  )

  it("lists every constraint that left nothing, and names the first", () =>
    assert.deepEqual(availability("provider.only", "ignored_providers", "provider.max_price"), {
      ...removed,
      code: "constraint_filtered",
      excluded_by: ["allowed_providers", "max_price"],
      constraint: {
        field: "allowed_providers",
        detail: "Endpoints were removed by provider.only, ignored_providers, provider.max_price."
      }
    }))

  it("names no budget among what left nothing", () =>
    assert.deepEqual(denialOf(proof([policy("ignored_models"), keyLimit, guardrailLimit])).availability?.excluded_by, [
      "ignored_models"
    ]))

  it("has the same availability in the error and in its metadata, with the page of the reason", () => {
    const { availability: beside, metadata } = printedRefusal(denialOf(proof([policy("ignored_models")])), "errors/")
    assert.strictEqual(beside?.docs_url, "errors/no_endpoint_allowed")
    assert.deepEqual(metadata["availability"], beside)
    assert.notProperty(printedRefusal(denialOf(proof([keyLimit])), "errors/"), "availability")
  })

  const closed: AdmissionReason = { scope: "member", guardrail_id, field: "allowed_data_regions", value: ["us"] }
  const absent: AdmissionReason = { scope: "catalog", guardrail_id: null, field: "model", value: "acme/sonnet" }
  const filtered: AdmissionReason = { scope: "key", guardrail_id, field: "content_filters.0", value: "x" }
  const refusedWhole = (...reasons: readonly AdmissionReason[]): Proof => ({
    ...proof([policy("ignored_models")]),
    general: reasons.map((reason) => ({ reason, edit: null }))
  })

  it("speaks first of a closed region, whatever else there is against the request", () => {
    const { issues: _, ...denial } = denialOf(refusedWhole(filtered, closed, closed, absent))
    assert.deepEqual(denial, {
      status: 403,
      reason: "region_not_allowed",
      message: "Requests of this key are not permitted through this data region.",
      availability: { ...removed, code: "region_restricted", excluded_by: ["data_region"] },
      reasons: [filtered, closed, absent]
    })
  })

  it("speaks then of what filters and limits object to, in their words if they have some", () => {
    const { issues: _, ...denial } = denialOf(refusedWhole(filtered, absent, filtered))
    assert.deepEqual(denial, {
      status: 403,
      reason: "no_endpoint_allowed",
      message: "No endpoints available matching your guardrail restrictions and data policy.",
      reasons: [filtered, absent]
    })
    const refusal = refusalWith(403, "content_blocked", "Blocked")
    const { issues: __, ...worded } = denialOf(refusedWhole(filtered), refusal)
    assert.deepEqual(worded, { ...refusal, reasons: [filtered] })
  })

  it("speaks of an unknown model only where nothing else is against the request", () => {
    const { issues, ...denial } = denialOf(refusedWhole(absent), refusalWith(403, "content_blocked", "Blocked"))
    assert.deepEqual(denial, {
      status: 404,
      reason: "unknown_model",
      message: "No endpoints found for the requested model.",
      availability: { ...removed, code: "no_endpoints" },
      reasons: [absent]
    })
    assert.lengthOf(issues, 1)
    assert.deepEqual(denialOf({ ...refusedWhole(absent), is_listed: false }).availability, {
      ...removed,
      code: "model_not_found"
    })
  })

  it("speaks of unknown prices where policy and budgets leave a candidate with nothing else against it", () => {
    const unpriced: AdmissionReason = { scope: "catalog", guardrail_id: null, field: "pricing.prompt", value: "-1" }
    const unknown = "No endpoint has a known price for this request, and a budget applies; see the reasons."
    const none = "No endpoints available matching your guardrail restrictions and data policy."
    for (const [candidates, answer] of [
      [[[unpriced]], [404, "no_known_price", unknown]],
      [[[unpriced, keyLimit]], [404, "no_known_price", unknown]],
      [
        [[policy("ignored_models")], [unpriced]],
        [404, "no_known_price", unknown]
      ],
      [[[policy("ignored_models"), unpriced]], [404, "no_endpoint_allowed", none]],
      [[[policy("ignored_models")]], [404, "no_endpoint_allowed", none]]
    ] as const)
      assert.deepEqual(told(proof(...candidates)), [...answer])
  })

  it("tells what the cheapest of those reserves that only budgets removed", () => {
    const priced = { cheap: 1_000_000_000n, dear: 3_000_000_000n, removed: 1n }
    const judged = (byok_id: keyof typeof priced, ...reasons: readonly AdmissionReason[]) =>
      ({
        candidate: { byok_id },
        objections: reasons.map((reason) => ({ reason, edit: null }))
      }) as unknown as JudgedCandidate
    const budget = { scope: "member", entity: "e", guardrail_id, interval: "daily", include_byok: false } as const
    const { message, metadata } = denialOf(
      {
        ...proof(),
        candidates: [
          judged("dear", guardrailLimit),
          judged("cheap", guardrailLimit),
          judged("removed", policy("ignored_models"), guardrailLimit)
        ]
      },
      undefined,
      {
        states: [
          { budget: { ...budget, limit_nanos: 125_000_000n }, window_start: null, spent_nanos: 0n, held_nanos: 0n }
        ],
        costOf: ({ byok_id }) => ({ nanos: priced[byok_id as keyof typeof priced], byok: false }),
        assumed_tokens: undefined
      }
    )
    assert.strictEqual(
      message,
      "Guardrail budget of $0.125 exceeded. This request reserves $1.00; $0.125 of the limit is left. Lower max_tokens or shorten the prompt, or raise the limit."
    )
    assert.deepEqual(metadata, {
      budget: { limit_usd: "0.125", left_usd: "0.125", reserved_usd: "1", assumed_completion_tokens: null }
    })
  })

  it("tells a reason once, and each guardrail's apart", () => {
    const [own, other] = [policy("ignored_models"), { ...policy("ignored_models"), guardrail_id: null }]
    assert.deepEqual(denialOf(proof([own, other], [own])).reasons, [own, other])
  })
})

describe("affords", () => {
  const budget = { limit_nanos: 10n, include_byok: false } as Budget
  const state = { budget, window_start: null, spent_nanos: 4n, held_nanos: 3n }
  const counting = { ...state, budget: { ...budget, include_byok: true } }

  it("pays up to the limit beside what is spent and held", () => {
    assert.isTrue(affords(state, { nanos: 3n, byok: false }))
    assert.isFalse(affords(state, { nanos: 4n, byok: false }))
  })

  it("pays for the workspace's own credentials where it counts them, and for nothing of theirs elsewhere", () => {
    assert.isTrue(affords(state, { nanos: 4n, byok: true }))
    assert.isTrue(affords(counting, { nanos: 3n, byok: true }))
    assert.isFalse(affords(counting, { nanos: 4n, byok: true }))
    assert.isFalse(affords({ ...state, spent_nanos: 8n }, { nanos: 4n, byok: true }))
  })
})
