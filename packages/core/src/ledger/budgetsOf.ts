/**
 * Every budget that applies to the spending of a key.
 *
 * Rule: money#budgets: each guardrail's budget on its own, the member's per user, the key's per key, the workspace default's per key and per
 * user in the workspace; the key's own limit; the budgets of its workspace. Each names its window, which sums
 * all usage of its period, whichever budgets applied then (Rule: money#spending-of-a-window).
 */
import type { BudgetScope } from "@gatewarden/contract"
import type { ApiKey } from "../ports/keys.ts"
import type { Budget } from "../ports/ledger.ts"
import type { AppliedGuardrail, GuardrailScope, WorkspaceLimit } from "../ports/policySources.ts"
import { parseUsd } from "../value/money.ts"

export type SpendingKey = Pick<
  ApiKey,
  "hash" | "workspace_id" | "user_id" | "limit" | "limit_reset" | "include_byok_in_limit"
>

/** The scopes of a guardrail's budget, and who spends from it. */
const bindingsOf = (
  scope: GuardrailScope,
  { hash, user_id }: SpendingKey
): readonly (readonly [BudgetScope, string | null])[] =>
  scope === "workspace"
    ? [
        ["workspace_default_member", user_id],
        ["workspace_default_key", hash]
      ]
    : [[scope, scope === "member" ? user_id : hash]]

const nanosOf = (usd: number): bigint => parseUsd(usd) ?? 0n

export const budgetsOf = (
  key: SpendingKey,
  guardrails: readonly AppliedGuardrail[],
  workspace: { readonly limits: readonly Omit<WorkspaceLimit, "id">[]; readonly include_byok: boolean }
): readonly Budget[] => [
  ...(key.limit === null
    ? []
    : [
        {
          scope: "key_limit" as const,
          entity: key.hash,
          guardrail_id: null,
          interval: key.limit_reset ?? ("lifetime" as const),
          limit_nanos: nanosOf(key.limit),
          include_byok: key.include_byok_in_limit
        }
      ]),
  ...guardrails.flatMap(({ scope, guardrail: { id, limit_usd, reset_interval, include_byok_in_budgets } }) =>
    limit_usd === null
      ? []
      : bindingsOf(scope, key).flatMap(([scope, entity]): readonly Budget[] =>
          entity === null
            ? []
            : [
                {
                  scope,
                  entity,
                  guardrail_id: id,
                  interval: reset_interval ?? "lifetime",
                  limit_nanos: nanosOf(limit_usd),
                  include_byok: include_byok_in_budgets
                }
              ]
        )
  ),
  ...workspace.limits.map(({ interval, limit_usd }): Budget => ({
    scope: "workspace_budget",
    entity: key.workspace_id ?? "",
    guardrail_id: null,
    interval,
    limit_nanos: nanosOf(limit_usd),
    include_byok: workspace.include_byok
  }))
]

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

/** The spender of a budget. Budgets with the same spender and interval use the same sums. */
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
