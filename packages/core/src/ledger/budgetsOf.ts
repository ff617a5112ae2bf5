/**
 * Every budget that applies to the spending of a key.
 *
 * Rule: money#budgets: each guardrail's budget on its own, the member's per user, the key's per key, the workspace default's per key and per
 * user in the workspace; the key's own limit; the budgets of its workspace.
 */
import type { BudgetScope } from "@gatewarden/contract"
import type { ApiKey } from "../ports/keys.ts"
import type { AppliedGuardrail, GuardrailScope, WorkspaceLimit } from "../ports/policySources.ts"
import { parseUsd } from "../value/money.ts"
import type { Budget } from "../ports/ledger.ts"

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
