import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { DirectoryGroups } from "../ports/directory.ts"

/** Rule: scim#directory-groups. */
export const deleteDirectoryGroup = operation("deleteDirectoryGroup")(function* (caller: Caller, id: string) {
  const settling = { now: yield* timestamp, spared: caller.key_hash }
  const outcome = yield* (yield* DirectoryGroups).remove(caller.account_id, id, settling)
  if (outcome === "missing") return yield* notFound()
})
