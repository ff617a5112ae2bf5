import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { timestamp } from "../value/timestamp.ts"
import { refuseGroup } from "./directoryGroupOf.ts"
import { DirectoryGroups, type GroupChange } from "../ports/directory.ts"

/** The group after the change. */
export const changeDirectoryGroup = Effect.fnUntraced(function* (caller: Caller, id: string, fields: GroupChange) {
  const settling = { now: yield* timestamp, spared: caller.key_hash }
  const outcome = yield* (yield* DirectoryGroups).update(caller.account_id, id, fields, settling)
  if (outcome === "missing") return yield* notFound()
  if (typeof outcome === "string") return yield* refuseGroup(outcome)
  return outcome.group
})
