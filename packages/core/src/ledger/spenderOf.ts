/** The spender of a budget. Budgets with the same spender and interval use the same sums. */
import type { BudgetScope } from "@gatewarden/contract"

/** `workspace_user`: a user in one workspace. */
export type Spender = "key" | "user" | "workspace" | "workspace_user"

export const spenders = ["key", "user", "workspace", "workspace_user"] as const satisfies readonly Spender[]

const spenderOfScope: Readonly<Record<BudgetScope, Spender>> = {
  key_limit: "key",
  key: "key",
  workspace_default_key: "key",
  workspace_default_member: "workspace_user",
  member: "user",
  workspace_budget: "workspace"
}

export const spenderOf = ({ scope }: { readonly scope: BudgetScope }): Spender => spenderOfScope[scope]

/** The scopes whose entity is a user. */
export const userScopes = ["member", "workspace_default_member"] as const satisfies readonly BudgetScope[]

export const isOfUser = ({ scope }: { readonly scope: BudgetScope }): boolean => userScopes.some((one) => one === scope)

/** The name of a spender in sums. That of a user in a workspace ends with the 36 characters of the workspace's id. */
const workspaceUser = (user_id: string, workspace_id: string): string => `${user_id} ${workspace_id}`

/** Whom a request charges; `null` for a spender that it does not have. */
export const spendersOf = (
  key: string | null,
  user: string | null,
  workspace: string | null
): Readonly<Record<Spender, string | null>> => ({
  key,
  user,
  workspace,
  workspace_user: user === null || workspace === null ? null : workspaceUser(user, workspace)
})

/** The name of a budget's spender. `workspace_id`: of the requests that the budget limits. */
export const spenderNameOf = (
  budget: { readonly scope: BudgetScope; readonly entity: string },
  workspace_id: string
): string => (spenderOf(budget) === "workspace_user" ? workspaceUser(budget.entity, workspace_id) : budget.entity)
