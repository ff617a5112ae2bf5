import type { CreateByokCredential } from "@gatewarden/contract"
import { Option, type Redacted } from "effect"
import type { Caller } from "../access/Caller.ts"
import { entityTooLarge, oversized } from "../ports/limits.ts"
import { requireRoom } from "../limits/requireRoom.ts"
import { Entropy } from "../platform/Entropy.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { meantWorkspace, unknownWorkspace } from "../access/resolveWorkspace.ts"
import { ByokCredentials, byokChange, placeOfKey, sealKey, unscoped } from "../ports/byok.ts"
import { declaredRegion } from "./declaredRegion.ts"
import { requireLiveKeys } from "../access/requireLiveKeys.ts"
import { requireProvider } from "./requireProvider.ts"

/** Rule: secrets#encryption. The id exists before the row does, because the ciphertext is bound to it. */
export const createByokCredential = operation("createByokCredential")(function* (
  caller: Caller,
  key: Redacted.Redacted<string>,
  fields: Omit<CreateByokCredential, "key">
) {
  yield* requireProvider(caller.account_id, fields.provider, "provider")
  yield* requireLiveKeys(caller, fields.allowed_api_key_hashes, "allowed_api_key_hashes")
  const declared_region = yield* declaredRegion(fields.provider, { declared_region: fields.declared_region, key }, null)
  yield* requireRoom("credentials_per_account", caller)
  const settings = { provider: fields.provider, ...unscoped, ...byokChange({ ...fields, declared_region }) }
  const refused = oversized(undefined, settings)
  if (refused !== undefined) return yield* entityTooLarge("credential", refused, fields)
  const identity = {
    id: (yield* Entropy).uuid(),
    workspace_id: yield* meantWorkspace(caller, fields.workspace_id, "workspace_id")
  }
  const { label, sealed_key } = yield* sealKey(key, placeOfKey(caller.account_id, identity))
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
