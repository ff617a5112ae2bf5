/**
 * A warning that a budget is nearly spent, is spent, or has denied a request: once for each window and limit.
 *
 * Rule: money#budget-warnings. Source: docs/decisions/0003-decisions-and-money.md.
 */
import type { Budget } from "./Budget.ts"

/** From the lowest threshold to the highest. */
export const warningKinds = ["spent_80", "spent_95", "denied"] as const
export type BudgetWarningKind = (typeof warningKinds)[number]

/** The percentage of a limit at which a kind is due. */
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
  /** The amount that other requests held, if an admission reached the threshold; `null` for a settlement. */
  readonly held_nanos: bigint | null
  readonly created_at: string
}

/** The warning that is due for an amount spent. A limit of 0 is spent from the start and gets no warning. */
export const dueBySpending = (limit_nanos: bigint, spent_nanos: bigint): readonly BudgetWarningKind[] =>
  limit_nanos <= 0n
    ? []
    : (["spent_80", "spent_95"] as const).filter((kind) => spent_nanos * 100n >= limit_nanos * warningPercents[kind])
