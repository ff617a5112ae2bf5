/**
 * A limit on spending that applies to a request, and the state of its current window.
 *
 * Rule: money#budgets.
 */
import type { BudgetInterval, BudgetScope } from "@gatewarden/contract"

export interface Budget {
  readonly scope: BudgetScope
  /** Who spends: the hash of a key, the id of a user, or the id of a workspace. */
  readonly entity: string
  readonly guardrail_id: string | null
  readonly interval: BudgetInterval
  readonly limit_nanos: bigint
  /** Whether spending with the workspace's own credentials counts. */
  readonly include_byok: boolean
}

/** A budget in its current window. */
export interface BudgetState {
  readonly budget: Budget
  /** Epoch milliseconds in UTC; `null` for a lifetime. */
  readonly window_start: number | null
  readonly spent_nanos: bigint
  /** By holds that have not expired. */
  readonly held_nanos: bigint
}

/** The cost that a budget counts for a request: 0 with the workspace's own credential, unless the budget includes BYOK. */
export interface Cost {
  readonly nanos: bigint
  readonly byok: boolean
}

export const costTo = ({ include_byok }: Budget, { nanos, byok }: Cost): bigint => (byok && !include_byok ? 0n : nanos)

/** Whether a budget can pay a cost. A cost of 0 fits every budget that is not overdrawn. */
export const affords = ({ budget, spent_nanos, held_nanos }: BudgetState, cost: Cost): boolean =>
  spent_nanos + held_nanos + costTo(budget, cost) <= budget.limit_nanos
