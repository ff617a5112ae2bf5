import { Effect, Equal, type Result } from "effect"
import type { Caller } from "../access/Caller.ts"
import { type BadRequest, notFound } from "../value/failure.ts"
import { timestamp } from "../value/timestamp.ts"
import { printedDirectoryUser, type UserFacts } from "./directoryUserOf.ts"
import { type DirectoryUser, DirectoryUsers } from "../ports/directory.ts"
import { groupsOfUser } from "./groupsOfUsers.ts"
import { lastManagementKey } from "./lastManagementKey.ts"
import { nameTaken } from "./nameTaken.ts"
import { type Projection, projectResource } from "./scim/projectResource.ts"
import { userKind } from "./scim/ResourceKind.ts"

/** Absence of `active` says nothing. */
export const withFacts = (user: DirectoryUser, { active = user.active, ...facts }: UserFacts): DirectoryUser => {
  const next = { ...user, ...facts, active }
  return Equal.equals(next, user) ? user : next
}

/** The user as a client is answered after the change. */
export const reviseDirectoryUser = Effect.fnUntraced(function* (
  caller: Caller,
  id: string,
  projection: Projection,
  revision: (user: DirectoryUser) => Result.Result<DirectoryUser, BadRequest>
) {
  const settling = { now: yield* timestamp, spared: caller.key_hash }
  // Read first, because nothing may fail after the change.
  const groups = yield* groupsOfUser(caller.account_id, id)
  const outcome = yield* (yield* DirectoryUsers).update(caller.account_id, id, revision, settling)
  if (outcome === "missing") return yield* notFound()
  if (outcome === "taken") return yield* nameTaken("userName")
  if (outcome === "last_management_key") return yield* lastManagementKey()
  if ("refused" in outcome) return yield* outcome.refused
  return projectResource(userKind, printedDirectoryUser(outcome.user, groups), projection)
})
