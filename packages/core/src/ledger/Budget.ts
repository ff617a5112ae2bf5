/**
 * A limit on spending that applies to a request, and what its current window holds.
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
  /** Whether what the workspace's own credentials cost counts. */
  readonly include_byok: boolean
}

/** A budget in the window that holds now. */
export interface BudgetState {
  readonly budget: Budget
  /** Epoch milliseconds in UTC; `null` for a lifetime. */
  readonly window_start: number | null
  readonly spent_nanos: bigint
  /** By holds that have not expired. */
  readonly held_nanos: bigint
}

/** What a request may cost a budget: nothing with the workspace's own credential, unless the budget counts that. */
export interface Cost {
  readonly nanos: bigint
  readonly byok: boolean
}

export const costTo = ({ include_byok }: Budget, { nanos, byok }: Cost): bigint => (byok && !include_byok ? 0n : nanos)

/** Whether a budget can still pay. What costs nothing passes a budget that has anything left, or that was never more than 0. */
export const affords = ({ budget, spent_nanos, held_nanos }: BudgetState, cost: Cost): boolean =>
  spent_nanos + held_nanos + costTo(budget, cost) <= budget.limit_nanos
