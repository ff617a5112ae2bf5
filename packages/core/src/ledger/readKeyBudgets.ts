/**
 * The budgets that a key spends from, as the key itself reads them.
 *
 * Rule: access#budgets-of-a-key.
 */
import {
  BudgetInterval,
  type BudgetScope,
  type CurrentKey,
  type ExplainedBudget,
  type KeyBudget,
  KeyBudgetScope,
  rowOfInterval
} from "@gatewarden/contract/internal"
import { Effect } from "effect"
import { BudgetLedger, type BudgetState } from "../ports/ledger.ts"
import type { PolicySource } from "../ports/policySources.ts"
import { formatInstant } from "../value/calendar.ts"
import { formatUsd, usdNumber } from "../value/money.ts"
import { windowDays } from "./LedgerClock.ts"
import { budgetsOf } from "./budgetsOf.ts"

type KeyBudgets = Pick<CurrentKey, "budgets" | "effective_budget">

/** Of a caller that spends nothing. */
export const noKeyBudgets: KeyBudgets = { budgets: [], effective_budget: null }

/** The names of scopes in the public API. */
const publicScopes: Readonly<Record<BudgetScope, KeyBudgetScope>> = {
  workspace_default_member: "workspace_default_member",
  workspace_default_key: "workspace_default_key",
  member: "member",
  key: "api_key",
  workspace_budget: "workspace",
  key_limit: "key_limit"
}

const intervals = BudgetInterval.options

/** By scope in the order in which the public API enforces them, and the budgets of a workspace from the shortest to the longest. */
const inOrder = (a: BudgetState, b: BudgetState): number => {
  const position = ({ budget }: BudgetState) => KeyBudgetScope.options.indexOf(publicScopes[budget.scope])
  const length = ({ budget }: BudgetState) => intervals.indexOf(budget.interval)
  return position(a) - position(b) || length(a) - length(b)
}

const remaining = ({ budget, spent_nanos, held_nanos }: BudgetState): bigint =>
  budget.limit_nanos - spent_nanos - held_nanos

/** The end of the current window; `null`: it never ends. */
const endOf = ({ budget, window_start }: BudgetState): string | null => {
  const { unit } = rowOfInterval(budget.interval)
  return unit === null || window_start === null ? null : formatInstant(Date.parse(windowDays(unit, window_start).end))
}

const printed = (state: BudgetState, limits: PolicySource["workspace"]["limits"]): KeyBudget => {
  const { scope, interval, guardrail_id, include_byok, limit_nanos } = state.budget
  const ofWorkspace = scope === "workspace_budget" ? limits.find((limit) => limit.interval === interval) : undefined
  return {
    scope: publicScopes[scope],
    budget_id: ofWorkspace?.id ?? null,
    guardrail_id,
    include_byok,
    limit_usd: usdNumber(limit_nanos),
    spend_usd: usdNumber(state.spent_nanos),
    held_usd: usdNumber(state.held_nanos),
    remaining_usd: usdNumber(remaining(state)),
    reset_interval: interval === "lifetime" ? null : interval,
    resets_at: endOf(state)
  }
}

/** One read of the ledger; none for a key without a budget. */
export const readKeyBudgets = Effect.fnUntraced(function* ({ key, guardrails, workspace }: PolicySource) {
  const applied = budgetsOf(key, guardrails, workspace)
  if (applied.length === 0) return noKeyBudgets
  const states = yield* (yield* BudgetLedger).states(key.account_id, key.workspace_id ?? "", applied)
  const sorted = states.toSorted(inOrder)
  const print = (state: BudgetState) => printed(state, workspace.limits)
  const [effective_budget = null] = sorted.toSorted((a, b) => Number(remaining(a) - remaining(b))).map(print)
  return { budgets: sorted.map(print), effective_budget } satisfies KeyBudgets
})

/** The start of a window in a response; `null` for a lifetime. */
export const printedWindow = (window_start: number | null): string | null =>
  window_start === null ? null : formatInstant(window_start)

/** The state of a budget in its window, without the held amount. */
export const printedBudgetState = ({
  budget,
  window_start,
  spent_nanos
}: Pick<BudgetState, "budget" | "window_start" | "spent_nanos">): Omit<ExplainedBudget, "held_usd"> => ({
  scope: budget.scope,
  entity: budget.entity,
  guardrail_id: budget.guardrail_id,
  interval: budget.interval,
  window_start: printedWindow(window_start),
  limit_usd: formatUsd(budget.limit_nanos),
  spent_usd: formatUsd(spent_nanos)
})
