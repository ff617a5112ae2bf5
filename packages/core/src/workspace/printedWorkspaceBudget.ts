import type { BudgetInterval } from "@gatewarden/contract"
import { budgetInterval } from "./budgetInterval.ts"
import type { BudgetSet } from "../ports/workspaces.ts"

/** One budget of a set in its response form; undefined when the set has none for the interval. */
export const printedWorkspaceBudget = ({ budgets, include_byok }: BudgetSet, interval: BudgetInterval) => {
  const budget = budgets.find((one) => budgetInterval(one) === interval)
  return budget && { data: budget, include_byok_in_budgets: include_byok }
}
