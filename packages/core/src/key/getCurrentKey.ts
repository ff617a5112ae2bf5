import type { CurrentKey } from "@gatewarden/contract"
import { Effect, Option } from "effect"
import { PolicySources } from "../ports/policySources.ts"
import { Guardrails, defaultGuardrailId } from "../ports/guardrails.ts"
import { effectiveRegions } from "../guardrail/effectiveRegions.ts"
import { hostKey } from "../access/hostKey.ts"
import { noKeyBudgets, readKeyBudgets } from "../ledger/readKeyBudgets.ts"
import { operation } from "../tracing/operation.ts"
import { usageOfKeys } from "./usageOfKeys.ts"
import type { Caller } from "../access/Caller.ts"
import { keySpending } from "./keySpending.ts"
import { deletedKey } from "../access/refuseCredentials.ts"

/**
 * Rule: access#current-key, access#budgets-of-a-key. What a key may read about itself. There is no quota of free models; those fields are -1, because the public
 * client expects integers.
 */
export const getCurrentKey = operation("getCurrentKey")(function* (caller: Caller) {
  const { key, guardrails, budgets } = caller.host ? yield* hostSource(caller) : yield* keySource(caller)
  const usage = (yield* usageOfKeys(key.account_id, [key.hash]))(key.hash)
  const management = key.kind === "management"
  return {
    label: key.label,
    workspace_id: key.workspace_id,
    organization_id: key.account_id,
    creator_user_id: key.creator_user_id,
    is_management_key: management,
    is_provisioning_key: management,
    is_free_tier: false,
    ...keySpending(key, usage),
    ...budgets,
    allowed_data_regions: effectiveRegions(guardrails),
    free_model_daily_requests: { limit: -1, remaining: -1, used: 0 },
    rate_limit: { requests: -1, interval: "10s", note: "Deprecated; there is no such limit." },
    expires_at: key.expires_at,
    restrictions: key.restrictions
  } satisfies CurrentKey
})

/** The key, what it may spend, and every guardrail that governs it: its workspace's, its user's and its own. */
const keySource = Effect.fnUntraced(function* (caller: Caller) {
  const found = yield* (yield* PolicySources).of(caller.account_id, caller.key_hash)
  if (Option.isNone(found)) return yield* deletedKey
  const { key, guardrails } = found.value
  return { key, guardrails: guardrails.map(({ guardrail }) => guardrail), budgets: yield* readKeyBudgets(found.value) }
})

/** A caller whom a host authenticated has no key, so no admission spends for it; the guardrail of the workspace applies. */
const hostSource = Effect.fnUntraced(function* (caller: Caller) {
  const { workspace_id } = caller
  if (workspace_id === null) return { key: hostKey(caller), guardrails: [], budgets: noKeyBudgets }
  const stored = yield* (yield* Guardrails).find(caller.account_id, defaultGuardrailId(workspace_id))
  return { key: hostKey(caller), guardrails: Option.toArray(stored), budgets: noKeyBudgets }
})
