import type { Caller } from "../access/Caller.ts"
import { Conflict, notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { ApiKeys } from "../ports/keys.ts"
import { revokeKey } from "./revokeKey.ts"

/** Rule: access#restricted-keys. The last key without restrictions stays, because nobody could manage the account without it. */
export const deleteManagementKey = operation("deleteManagementKey")(function* (caller: Caller, hash: string) {
  const [key] = yield* (yield* ApiKeys).list(caller.account_id, { kind: "management", hashes: [hash] })
  if (key === undefined) return yield* notFound()
  const outcome = yield* revokeKey(key, false)
  if (outcome === "last") return yield* new Conflict({ reason: "last_management_key" })
  return outcome === "absent" ? yield* notFound() : { deleted: true as const }
})
