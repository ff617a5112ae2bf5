/**
 * Every budget that applies to the spending of a key.
 *
 * Rule: money#budgets: each guardrail's budget on its own, the member's per user, the key's and the workspace default's per key;
 * the key's own limit; the budgets of its workspace.
 */
import type { ApiKey } from "../key/ApiKey.ts"
import type { WorkspaceLimit } from "../access/PolicySources.ts"
import { parseUsd } from "../value/money.ts"
import type { Budget } from "./Budget.ts"
import type { AppliedGuardrail } from "../guardrail/AppliedGuardrail.ts"

export type SpendingKey = Pick<
  ApiKey,
  "hash" | "workspace_id" | "user_id" | "limit" | "limit_reset" | "include_byok_in_limit"
>

const nanosOf = (usd: number): bigint => parseUsd(usd) ?? 0n

export const budgetsOf = (
  key: SpendingKey,
  guardrails: readonly AppliedGuardrail[],
  workspace: { readonly limits: readonly WorkspaceLimit[]; readonly include_byok: boolean }
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
  ...guardrails.flatMap(({ scope, guardrail }): readonly Budget[] => {
    const entity = scope === "member" ? key.user_id : key.hash
    if (guardrail.limit_usd === null || entity === null) return []
    return [
      {
        scope,
        entity,
        guardrail_id: guardrail.id,
        interval: guardrail.reset_interval ?? "lifetime",
        limit_nanos: nanosOf(guardrail.limit_usd),
        include_byok: guardrail.include_byok_in_budgets
      }
    ]
  }),
  ...workspace.limits.map(({ interval, limit_usd }): Budget => ({
    scope: "workspace_budget",
    entity: key.workspace_id ?? "",
    guardrail_id: null,
    interval,
    limit_nanos: nanosOf(limit_usd),
    include_byok: workspace.include_byok
  }))
]
