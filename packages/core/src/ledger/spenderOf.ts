/** The spender of a budget. Budgets with the same spender and interval use the same sums. */
import type { BudgetScope } from "@gatewarden/contract"

export type Spender = "key" | "user" | "workspace"

const spenders: Readonly<Record<BudgetScope, Spender>> = {
  key_limit: "key",
  key: "key",
  workspace: "key",
  member: "user",
  workspace_budget: "workspace"
}

export const spenderOf = ({ scope }: { readonly scope: BudgetScope }): Spender => spenders[scope]
