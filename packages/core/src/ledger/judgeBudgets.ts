/** The budgets that a candidate would exceed, each with the limit that would suffice. */
import {
  BudgetInterval,
  type KeyRateLimits,
  type PolicyEdit,
  errorMessages,
  largestRate
} from "@gatewarden/contract/internal"
import { type Budget, type BudgetState, type Cost, type KeyRateUse, exceededRates } from "../ports/ledger.ts"
import { type Objection, type Refusal, refusalWith } from "../value/issues.ts"
import { parseUsd, usdAtLeast, usdNumber } from "../value/money.ts"
import { affords, costTo } from "./judge.ts"

/** Where a budget's limit is written. */
export const fieldOf = ({ scope, interval }: Budget): string =>
  scope === "key_limit" ? "limit" : scope === "workspace_budget" ? `budgets.${interval}` : "limit_usd"

const place = ({ budget: { interval } }: BudgetState): number => BudgetInterval.options.indexOf(interval)

/**
 * The limits that would suffice; `null`: only removing the limit would. In a workspace a longer interval must keep a higher limit than a
 * shorter one, so raising a short one raises the longer ones.
 */
const enough = (broken: readonly BudgetState[], cost: Cost): ReadonlyMap<BudgetState, number | null> => {
  const limits = new Map<BudgetState, number | null>()
  let shorter = -1n
  for (const state of [...broken].sort((a, b) => place(a) - place(b))) {
    const { budget, spent_nanos, held_nanos } = state
    const needed = spent_nanos + held_nanos + costTo(budget, cost)
    const rises = budget.scope === "workspace_budget"
    const limit = usdAtLeast(rises && needed <= shorter ? shorter + 1n : needed)
    limits.set(state, limit)
    if (rises && limit !== null) shorter = parseUsd(limit) ?? shorter
  }
  return limits
}

export const budgetObjections = (states: readonly BudgetState[], cost: Cost): readonly Objection[] => {
  const broken = states.filter((state) => !affords(state, cost))
  if (broken.length === 0) return []
  const limits = enough(broken, cost)
  return broken.map((state): Objection => {
    const { budget } = state
    const at = { scope: budget.scope, guardrail_id: budget.guardrail_id, field: fieldOf(budget) }
    const from = usdNumber(budget.limit_nanos)
    const edit: PolicyEdit = { ...at, from, to: limits.get(state) ?? null }
    return { reason: { ...at, value: from }, edit }
  })
}

/**
 * The rate limits of a key that a request would exceed, each with the limit that would suffice; `null`: only removing it would.
 *
 * Names the limits that are used up, and when to retry: a running request may end at any moment.
 */
export const tooManyRequests = (exceeded: readonly Objection[], use: KeyRateUse, now: number): Refusal => {
  const waits = exceeded.every(({ reason }) => reason.field === "parallel_requests") || use.resets_at === null
  return refusalWith(429, "key_rate_limited", errorMessages[429], {
    rate_limits: exceeded.map(({ reason: { field, value } }) => ({ field, limit: value })),
    retry_after_seconds: waits ? 1 : Math.max(1, Math.ceil(((use.resets_at ?? now) - now) / 1000))
  })
}

export const rateObjections = (limits: KeyRateLimits, use: KeyRateUse, tokens: number): readonly Objection[] => {
  const needed = {
    requests_per_minute: use.requests + 1,
    tokens_per_minute: use.tokens + tokens,
    parallel_requests: use.parallel + 1
  }
  return exceededRates(limits, use, tokens).map((field) => {
    const at = { scope: "rate_limit", guardrail_id: null, field } as const
    const to = needed[field] > largestRate ? null : needed[field]
    return { reason: { ...at, value: limits[field] }, edit: { ...at, from: limits[field], to } }
  })
}
