import { notFound } from "../value/failure.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { ApiKeys } from "../ports/keys.ts"
import type { Caller } from "../access/Caller.ts"
import { requireKey } from "./requireKey.ts"

/** Applies at once on this process, within two seconds on every other. Rule: access#changes-take-effect. */
export const deleteKey = operation("deleteKey")(function* (caller: Caller, hash: string) {
  yield* requireKey(caller, hash)
  const removed = yield* (yield* ApiKeys).remove(caller.account_id, hash, yield* timestamp)
  return removed ? { deleted: true as const } : yield* notFound()
})
