import type { BudgetWarning as PrintedWarning } from "@gatewarden/contract"
import { formatUsd } from "../usage/money.ts"
import { printedWindow } from "./admit.ts"
import type { BudgetWarning } from "./BudgetWarning.ts"

/** A warning as it is listed and told. */
export const printedWarning = ({
  budget,
  spent_nanos,
  held_nanos,
  window_start,
  ...warning
}: BudgetWarning): PrintedWarning => ({
  kind: warning.kind,
  workspace_id: warning.workspace_id,
  scope: budget.scope,
  entity: budget.entity,
  guardrail_id: budget.guardrail_id,
  interval: budget.interval,
  window_start: printedWindow(window_start),
  limit_usd: formatUsd(budget.limit_nanos),
  spent_usd: formatUsd(spent_nanos),
  held_usd: held_nanos === null ? null : formatUsd(held_nanos),
  created_at: warning.created_at
})
