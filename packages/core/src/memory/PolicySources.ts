import { BudgetInterval } from "@gatewarden/contract"
import { Clock, Effect, Option } from "effect"
import { noKeyRateLimits } from "../key/key.ts"
import { type AppliedGuardrail, type GuardrailScope, PolicySources } from "../ports/policySources.ts"
import { defaultGuardrailId } from "../ports/guardrails.ts"
import { authenticatedKey, budgetPlace, memberPlace, type Tables, withoutOwner } from "./tables/Tables.ts"

export const policySources = (tables: Tables) =>
  PolicySources.of({
    of: (account_id, secret_hash) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const key_hash = tables.keySecrets.keyOf(secret_hash)
        const key = tables.apiKeys.get(key_hash)
        if (key === undefined || key.account_id !== account_id) return Option.none()
        const applied = (scope: GuardrailScope, id: string | undefined): readonly AppliedGuardrail[] => {
          const row = id === undefined ? undefined : tables.guardrails.get(id)
          return row === undefined ? [] : [{ scope, guardrail: withoutOwner(row) }]
        }
        const { workspace_id, user_id } = key
        const member = user_id === null ? undefined : tables.guardrailOfMember.get(memberPlace(account_id, user_id))
        const budgets =
          workspace_id === null
            ? []
            : BudgetInterval.options.flatMap((interval) => {
                const budget = tables.workspaceBudgets.get(budgetPlace(workspace_id, interval))
                return budget === undefined ? [] : [budget]
              })
        const workspace = workspace_id === null ? undefined : tables.workspaces.get(workspace_id)
        return Option.some({
          key: authenticatedKey(tables, key, now),
          guardrails: [
            ...applied("workspace", workspace_id === null ? undefined : defaultGuardrailId(workspace_id)),
            ...applied("member", member?.guardrail_id),
            ...applied("key", tables.guardrailOfKey.get(key_hash)?.guardrail_id)
          ],
          workspace: {
            limits: budgets.map(({ id, interval, limit_usd }) => ({ id, interval, limit_usd })),
            include_byok: budgets.some(({ include_byok }) => include_byok),
            default_text_model: workspace?.default_text_model ?? "",
            default_provider_sort: workspace?.default_provider_sort ?? "",
            disabled_server_tools: workspace?.disabled_server_tools ?? []
          },
          rate_limits: tables.keyRateLimits.get(key_hash) ?? null
        })
      }),
    formerOwner: (account_id, key_hash) =>
      Effect.sync(() => {
        const deleted = tables.deletedKeys.get(key_hash)
        if (deleted?.account_id !== account_id) return Option.none()
        return Option.some({ user_id: deleted.user_id, external_user: deleted.external_user })
      }),
    limitRates: (account_id, key_hash, change) =>
      Effect.sync(() => {
        const key = tables.apiKeys.get(key_hash)
        if (key?.account_id !== account_id || key.kind !== "normal") return Option.none()
        const limits = { ...(tables.keyRateLimits.get(key_hash) ?? noKeyRateLimits), ...change }
        tables.keyRateLimits.set(key_hash, limits)
        return Option.some(limits)
      })
  })
