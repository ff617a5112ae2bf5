import type { BudgetInterval, WorkspaceBudget } from "@gatewarden/contract"

/** A budget that never resets is printed with the interval `null`. */
export const budgetInterval = ({ reset_interval }: Pick<WorkspaceBudget, "reset_interval">): BudgetInterval =>
  reset_interval ?? "lifetime"
