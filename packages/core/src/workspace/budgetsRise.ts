import type { WorkspaceBudget } from "@gatewarden/contract"
import { sortBudgets } from "./sortBudgets.ts"

/** Whether every longer interval has a higher limit than every shorter one (Rule: workspaces#workspace-budgets). */
export const budgetsRise = (budgets: readonly Pick<WorkspaceBudget, "reset_interval" | "limit_usd">[]): boolean =>
  sortBudgets(budgets).every(
    ({ limit_usd }, index, sorted) => index === 0 || limit_usd > (sorted[index - 1]?.limit_usd ?? 0)
  )
