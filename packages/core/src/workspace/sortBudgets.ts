import { BudgetInterval, type WorkspaceBudget } from "@gatewarden/contract"
import { budgetInterval } from "./budgetInterval.ts"

const placeOf = (budget: Pick<WorkspaceBudget, "reset_interval">): number =>
  BudgetInterval.options.indexOf(budgetInterval(budget))

/** From the shortest interval to the longest. */
export const sortBudgets = <B extends Pick<WorkspaceBudget, "reset_interval">>(budgets: readonly B[]): readonly B[] =>
  [...budgets].sort((a, b) => placeOf(a) - placeOf(b))
