import type {
  CreateByokCredential,
  QueryOf,
  UpdateByokCredential,
  listByokCredentials as declaration
} from "@gatewarden/contract/internal"
import { Effect, Option, type Redacted } from "effect"
import type { Caller } from "../access/Caller.ts"
import { requireLiveKeys } from "../access/liveKeys.ts"
import { namedWorkspace, resolveWorkspace, unknownWorkspace } from "../access/workspaceOfRequest.ts"
import { entityTooLarge, requireQuota } from "../limits/requireQuota.ts"
import { Entropy } from "../platform/Entropy.ts"
import { ByokCredentials, contextOfKey, unscoped } from "../ports/byok.ts"
import { isOversized, maxCredentialBytes, oversized } from "../ports/limits.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/calendar.ts"
import { invalid, notFound } from "../value/failure.ts"
import { byokChange, declaredRegion, requireProvider, sealKey } from "./byok.ts"

/** Rule: secrets#encryption. The id exists before the row does, because the ciphertext is bound to it. */
export const createByokCredential = operation("createByokCredential")(function* (
  caller: Caller,
  key: Redacted.Redacted<string>,
  fields: Omit<CreateByokCredential, "key">
) {
  yield* requireProvider(caller.account_id, fields.provider, "provider")
  yield* requireLiveKeys(caller, fields.allowed_api_key_hashes, "allowed_api_key_hashes")
  const declared_region = yield* declaredRegion(fields.provider, { declared_region: fields.declared_region, key }, null)
  const workspace_id = yield* namedWorkspace(caller, fields.workspace_id, "workspace_id")
  yield* requireQuota("credentials_per_account", caller)
  yield* requireQuota("credentials_per_workspace", { ...caller, workspace_id })
  const settings = { provider: fields.provider, ...unscoped, ...byokChange({ ...fields, declared_region }) }
  const refused = oversized(undefined, settings, maxCredentialBytes)
  if (refused !== undefined) return yield* entityTooLarge("credential", refused, fields)
  const identity = { id: (yield* Entropy).uuid(), workspace_id }
  const { label, sealed_key } = yield* sealKey(key, contextOfKey(caller.account_id, identity))
  const credentials = yield* ByokCredentials
  const stored = yield* credentials.insert(
    caller.account_id,
    {
      ...identity,
      label,
      ...settings,
      created_at: yield* timestamp
    },
    sealed_key
  )
  return Option.isSome(stored) ? stored.value : yield* unknownWorkspace("workspace_id")
})

/** Rule: byok#deleting. Live admissions open the key in the store each time, so from now on none of them gets it. */
export const deleteByokCredential = operation("deleteByokCredential")(function* (caller: Caller, id: string) {
  const removed = yield* (yield* ByokCredentials).remove(caller.account_id, id)
  return Option.isSome(removed) ? { deleted: true as const } : yield* notFound()
})

/** Rule: secrets#never-shown. */
export const getByokCredential = operation("getByokCredential")(function* (caller: Caller, id: string) {
  const found = yield* (yield* ByokCredentials).find(caller.account_id, id)
  return Option.isSome(found) ? found.value : yield* notFound()
})

/** Rule: requests#lists. */
export const listByokCredentials = operation("listByokCredentials")(function* (
  caller: Caller,
  { workspace_id, provider, ...page }: QueryOf<typeof declaration>
) {
  if (provider !== undefined) yield* requireProvider(caller.account_id, provider, "query.provider")
  const workspace = yield* resolveWorkspace(caller, workspace_id, "query.workspace_id")
  const credentials = yield* ByokCredentials
  return yield* credentials.list(caller.account_id, { workspace_id: workspace, provider }, page)
})

/**
 * Rule: byok#replacing-a-key. Only a new key and a region need a read first: of the workspace and the provider, which never change.
 */
export const updateByokCredential = operation("updateByokCredential")(function* (
  caller: Caller,
  id: string,
  key: Redacted.Redacted<string> | undefined,
  fields: Omit<UpdateByokCredential, "key">
) {
  yield* requireLiveKeys(caller, fields.allowed_api_key_hashes, "allowed_api_key_hashes")
  const credentials = yield* ByokCredentials
  const located = Effect.gen(function* () {
    const found = yield* credentials.find(caller.account_id, id)
    if (Option.isNone(found)) return yield* notFound()
    const { provider, declared_region: stored } = found.value
    const region = yield* declaredRegion(provider, { declared_region: fields.declared_region, key }, stored)
    return {
      declared_region: region,
      sealed: key === undefined ? {} : yield* sealKey(key, contextOfKey(caller.account_id, found.value))
    }
  })
  const { declared_region, sealed } =
    key === undefined && fields.declared_region === undefined
      ? { declared_region: undefined, sealed: {} }
      : yield* located
  const outcome = yield* credentials.update(caller.account_id, id, {
    ...byokChange({ ...fields, declared_region }),
    ...sealed
  })
  if (outcome === "missing") return yield* notFound()
  if (outcome === "only_and_fallback")
    return yield* invalid("byok_only_fallback", "is_byok_only", "is_byok_only and is_fallback cannot both be true")
  if (isOversized(outcome)) return yield* entityTooLarge("credential", outcome, fields)
  return outcome
})
