import type { WorkspaceBudget, WorkspaceBudgetInterval } from "@gatewarden/contract"

/** A budget that never resets is printed with the interval `null`. */
export const budgetInterval = ({ reset_interval }: Pick<WorkspaceBudget, "reset_interval">): WorkspaceBudgetInterval =>
  reset_interval ?? "lifetime"
