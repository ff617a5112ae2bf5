import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { GroupMappings } from "../ports/directory.ts"

/** Rule: scim#mappings. */
export const deleteGroupMapping = operation("deleteGroupMapping")(function* (
  { account_id, key_hash }: Caller,
  id: string,
  keep: boolean
) {
  const settling = { now: yield* timestamp, spared: key_hash }
  const outcome = yield* (yield* GroupMappings).remove(account_id, id, keep, settling)
  if (outcome === "missing") return yield* notFound()
  return { deleted: true as const }
})
