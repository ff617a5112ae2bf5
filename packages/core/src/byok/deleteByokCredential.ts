import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { ByokCredentials } from "../ports/byok.ts"

/** Rule: byok#deleting. Live admissions open the key in the store each time, so from now on none of them gets it. */
export const deleteByokCredential = operation("deleteByokCredential")(function* (caller: Caller, id: string) {
  const removed = yield* (yield* ByokCredentials).remove(caller.account_id, id)
  return Option.isSome(removed) ? { deleted: true as const } : yield* notFound()
})
