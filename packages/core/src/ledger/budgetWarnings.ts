/**
 * Which warnings of a budget are due.
 *
 * Rule: money#budget-warnings. The SQL store has the same rule as the function `gatewarden_due`; `tests/ledger/judgeHolds.test.ts` compares
 * both.
 */
import { type BudgetWarning, type BudgetWarningKind, warningPercents } from "../ports/ledger.ts"

/** The warnings that are due for an amount spent. A limit of 0 is spent from the start and gets no warning. */
export const dueBySpending = (limit_nanos: bigint, spent_nanos: bigint): readonly BudgetWarningKind[] =>
  limit_nanos <= 0n
    ? []
    : (["spent_80", "spent_95"] as const).filter((kind) => spent_nanos * 100n >= limit_nanos * warningPercents[kind])

/** A warning that a store records, unless the window has it at this limit already. */
export type DueWarning = Pick<BudgetWarning, "kind" | "budget" | "window_start" | "spent_nanos" | "held_nanos">
