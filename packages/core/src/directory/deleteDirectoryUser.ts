import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { lastManagementKey } from "./lastManagementKey.ts"
import { DirectoryUsers } from "../ports/directory.ts"

/** Rule: scim#deprovisioning. */
export const deleteDirectoryUser = operation("deleteDirectoryUser")(function* (caller: Caller, id: string) {
  const settling = { now: yield* timestamp, spared: caller.key_hash }
  const outcome = yield* (yield* DirectoryUsers).remove(caller.account_id, id, settling)
  if (outcome === "missing") return yield* notFound()
  if (outcome === "last_management_key") return yield* lastManagementKey()
})
