import type { CurrentKey } from "@gatewarden/contract"
import { Clock, Effect, Option } from "effect"
import { Unauthorized } from "../failure.ts"
import { defaultGuardrailId } from "../guardrail/defaultGuardrailId.ts"
import { effectiveRegions } from "../guardrail/effectiveRegions.ts"
import { Guardrails } from "../guardrail/Guardrails.ts"
import { hostKey } from "../hosting/hostKey.ts"
import { operation } from "../tracing/operation.ts"
import { KeyUsageReader } from "../usage/KeyUsageReader.ts"
import { ApiKeys } from "./ApiKeys.ts"
import type { Caller } from "./Caller.ts"
import { keySpending } from "./keySpending.ts"

/**
 * Public API 2.10: what a key may know of itself. There is no quota of free models and no rate limit per key here, which is
 * said with -1, as the public client expects integers.
 */
export const getCurrentKey = operation("getCurrentKey")(function* (caller: Caller) {
  const found = caller.host ? Option.some(hostKey(caller)) : yield* (yield* ApiKeys).authenticate(caller.key_hash)
  if (Option.isNone(found)) return yield* new Unauthorized({ reason: "invalid_api_key" })
  const key = found.value
  const now = yield* Clock.currentTimeMillis
  const usage = yield* (yield* KeyUsageReader).usageOf(key.account_id, key.hash, now)
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
    allowed_data_regions: effectiveRegions(yield* guardrailsOn(key.account_id, key.workspace_id)),
    free_model_daily_requests: { limit: -1, remaining: -1, used: 0 },
    rate_limit: { requests: -1, interval: "10s", note: "Deprecated; there is no such limit." },
    expires_at: key.expires_at
  } satisfies CurrentKey
})

/** The guardrail of the key's workspace, once somebody has configured it. */
const guardrailsOn = Effect.fnUntraced(function* (account_id: string, workspace_id: string | null) {
  if (workspace_id === null) return []
  return Option.toArray(yield* (yield* Guardrails).find(account_id, defaultGuardrailId(workspace_id)))
})
