/**
 * That a budget is nearly spent, spent, or has refused someone: said once for each window.
 *
 * Rule: money#budget-warnings. Source: docs/decisions/0003-decisions-and-money.md.
 */
import type { Budget } from "./Budget.ts"

export const warningKinds = ["spent_80", "spent_95", "denied"] as const
export type BudgetWarningKind = (typeof warningKinds)[number]

/** The percentage of a limit from which on a kind is due. */
export const warningPercents = { spent_80: 80n, spent_95: 95n } as const satisfies Partial<
  Record<BudgetWarningKind, bigint>
>

export interface BudgetWarning {
  readonly kind: BudgetWarningKind
  /** With the limit as it was then. */
  readonly budget: Budget
  readonly workspace_id: string
  /** Epoch milliseconds; `null` for a lifetime. */
  readonly window_start: number | null
  readonly spent_nanos: bigint
  /** What other requests held when this was noticed at an admission; `null` at a settlement. */
  readonly held_nanos: bigint | null
  readonly created_at: string
}

/** What is due by what was spent. A limit of nothing is spent from the start, which nobody needs to be told. */
export const dueBySpending = (limit_nanos: bigint, spent_nanos: bigint): readonly BudgetWarningKind[] =>
  limit_nanos <= 0n
    ? []
    : (["spent_80", "spent_95"] as const).filter((kind) => spent_nanos * 100n >= limit_nanos * warningPercents[kind])
