import type { WorkspaceBudget } from "@gatewarden/contract"
import { budgetInterval } from "./budgetInterval.ts"
import { budgetsRise } from "./budgetsRise.ts"
import type { BudgetDraft } from "../ports/workspaces.ts"

/** The budget that a draft creates or changes in a set, or the refusal of the draft. */
export const changedBudget = (
  budgets: readonly WorkspaceBudget[],
  { id, workspace_id, interval, limit_usd }: BudgetDraft,
  now: string
): WorkspaceBudget | "out_of_order" => {
  const before = budgets.find((budget) => budgetInterval(budget) === interval)
  const changed: WorkspaceBudget = {
    id: before?.id ?? id,
    workspace_id,
    limit_usd,
    reset_interval: interval === "lifetime" ? null : interval,
    created_at: before?.created_at ?? now,
    updated_at: before?.limit_usd === limit_usd ? before.updated_at : now
  }
  return budgetsRise([...budgets.filter((budget) => budget !== before), changed]) ? changed : "out_of_order"
}
