import type { ExplainedBudget } from "@gatewarden/contract"
import { formatUsd } from "../value/money.ts"
import { formatInstant } from "../value/timestamp.ts"
import type { BudgetState } from "../ports/ledger.ts"

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
