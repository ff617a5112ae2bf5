import type { BudgetWarning as PrintedWarning } from "@gatewarden/contract"
import { formatUsd } from "../value/money.ts"
import type { BudgetWarning } from "../ports/ledger.ts"
import { printedBudgetState } from "./printedBudgetState.ts"

/** A warning as it is listed and told. */
export const printedWarning = (warning: BudgetWarning): PrintedWarning => ({
  kind: warning.kind,
  workspace_id: warning.workspace_id,
  ...printedBudgetState(warning),
  held_usd: warning.held_nanos === null ? null : formatUsd(warning.held_nanos),
  created_at: warning.created_at
})
