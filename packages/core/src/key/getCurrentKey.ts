import type { CurrentKey } from "@gatewarden/contract"
import { Effect, Option } from "effect"
import { PolicySources } from "../access/PolicySources.ts"
import { defaultGuardrailId } from "../guardrail/defaultGuardrailId.ts"
import { effectiveRegions } from "../guardrail/effectiveRegions.ts"
import { Guardrails } from "../guardrail/Guardrails.ts"
import { hostKey } from "../access/hostKey.ts"
import { operation } from "../tracing/operation.ts"
import { usageOfKeys } from "../usage/usageOfKeys.ts"
import type { Caller } from "../access/Caller.ts"
import { keySpending } from "./keySpending.ts"
import { deletedKey } from "../access/refuseCredentials.ts"

/**
 * Rule: access#current-key. What a key may read about itself. There is no quota of free models; those fields are -1, because the public
 * client expects integers.
 */
export const getCurrentKey = operation("getCurrentKey")(function* (caller: Caller) {
  const { key, guardrails } = caller.host ? yield* hostSource(caller) : yield* keySource(caller)
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
    allowed_data_regions: effectiveRegions(guardrails),
    free_model_daily_requests: { limit: -1, remaining: -1, used: 0 },
    rate_limit: { requests: -1, interval: "10s", note: "Deprecated; there is no such limit." },
    expires_at: key.expires_at,
    restrictions: key.restrictions
  } satisfies CurrentKey
})

/** The key and every guardrail that governs it: its workspace's, its user's and its own. */
const keySource = Effect.fnUntraced(function* (caller: Caller) {
  const found = yield* (yield* PolicySources).of(caller.account_id, caller.key_hash)
  if (Option.isNone(found)) return yield* deletedKey
  return { key: found.value.key, guardrails: found.value.guardrails.map(({ guardrail }) => guardrail) }
})

/** A caller whom a host authenticated has no key; the guardrail of the workspace applies. */
const hostSource = Effect.fnUntraced(function* (caller: Caller) {
  const { workspace_id } = caller
  if (workspace_id === null) return { key: hostKey(caller), guardrails: [] }
  const stored = yield* (yield* Guardrails).find(caller.account_id, defaultGuardrailId(workspace_id))
  return { key: hostKey(caller), guardrails: Option.toArray(stored) }
})
