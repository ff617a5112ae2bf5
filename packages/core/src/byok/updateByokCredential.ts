import type { UpdateByokCredential } from "@gatewarden/contract"
import { Effect, Option, type Redacted } from "effect"
import type { Caller } from "../access/Caller.ts"
import { invalid, notFound } from "../value/failure.ts"
import { entityTooLarge, isOversized } from "../ports/limits.ts"
import { operation } from "../tracing/operation.ts"
import { ByokCredentials, byokChange, placeOfKey, sealKey } from "../ports/byok.ts"
import { declaredRegion } from "./declaredRegion.ts"
import { requireLiveKeys } from "../access/requireLiveKeys.ts"

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
      sealed: key === undefined ? {} : yield* sealKey(key, placeOfKey(caller.account_id, found.value))
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
