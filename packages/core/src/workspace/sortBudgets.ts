import { type WorkspaceBudget, WorkspaceBudgetInterval } from "@gatewarden/contract"
import { budgetInterval } from "./budgetInterval.ts"

const placeOf = (budget: Pick<WorkspaceBudget, "reset_interval">): number =>
  WorkspaceBudgetInterval.options.indexOf(budgetInterval(budget))

/** From the shortest interval to the longest. */
export const sortBudgets = <B extends Pick<WorkspaceBudget, "reset_interval">>(budgets: readonly B[]): readonly B[] =>
  [...budgets].sort((a, b) => placeOf(a) - placeOf(b))
