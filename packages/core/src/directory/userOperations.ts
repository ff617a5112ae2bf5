import { type ScimQuery, scimUrns, userId } from "@gatewarden/contract/internal"
import { Effect, Equal, Result } from "effect"
import type { Caller } from "../access/Caller.ts"
import { requireQuota } from "../limits/requireQuota.ts"
import { Entropy } from "../platform/Entropy.ts"
import { type DirectoryUser, DirectoryUsers, type GroupMember } from "../ports/directory.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/calendar.ts"
import { checkInput } from "../value/checkInput.ts"
import { type BadRequest, invalid, notFound } from "../value/failure.ts"
import { inSlices } from "../value/inSlices.ts"
import {
  type UserFacts,
  groupsOfUser,
  groupsOfUsers,
  lastManagementKey,
  nameTaken,
  printedDirectoryUser,
  readUserFacts,
  resourceOfUser,
  userFactsOf
} from "./directoryResource.ts"
import { findResources, matchingIn } from "./findResources.ts"
import { matchesFilter } from "./scim/Filter.ts"
import { type Values, userKind } from "./scim/ResourceKind.ts"
import { patchResource } from "./scim/patchResource.ts"
import { type Projection, isAnswered, projectResource } from "./scim/projectResource.ts"
import { readPatch } from "./scim/readPatch.ts"

/** Rule: scim#directory-users. */
export const createDirectoryUser = operation("createDirectoryUser")(function* (
  caller: Caller,
  sent: Values,
  projection: Projection
) {
  const { active = true, ...facts } = yield* Effect.fromResult(readUserFacts(sent))
  const user_id = yield* checkInput(userId, facts.user_name, "userName")
  yield* requireQuota("directory_users_per_account", { account_id: caller.account_id })
  const now = yield* timestamp
  const user: DirectoryUser = {
    id: (yield* Entropy).uuid(),
    user_id,
    ...facts,
    active,
    created_at: now,
    updated_at: now
  }
  const outcome = yield* (yield* DirectoryUsers).insert(caller.account_id, user, { now, spared: caller.key_hash })
  if (outcome === "taken") return yield* nameTaken("userName")
  if (outcome === "last_management_key") return yield* lastManagementKey()
  return projectResource(userKind, printedDirectoryUser(user, []), projection)
})

/** Rule: scim#deprovisioning. */
export const deleteDirectoryUser = operation("deleteDirectoryUser")(function* (caller: Caller, id: string) {
  const settling = { now: yield* timestamp, spared: caller.key_hash }
  const outcome = yield* (yield* DirectoryUsers).remove(caller.account_id, id, settling)
  if (outcome === "missing") return yield* notFound()
  if (outcome === "last_management_key") return yield* lastManagementKey()
})

/** Rule: scim#directory-users. */
export const getDirectoryUser = operation("getDirectoryUser")(function* (
  caller: Caller,
  id: string,
  projection: Projection
) {
  const sought = { ids: [id], names: [], external_ids: [] }
  const [user] = yield* (yield* DirectoryUsers).find(caller.account_id, sought, { limit: 1, offset: 0 })
  if (user === undefined) return yield* notFound()
  const groups = isAnswered(userKind, projection, "groups") ? yield* groupsOfUser(caller.account_id, id) : []
  return projectResource(userKind, printedDirectoryUser(user, groups), projection)
})

/** Rule: scim#lists, scim#filters. */
export const listDirectoryUsers = operation("listDirectoryUsers")(function* (caller: Caller, query: ScimQuery) {
  const users = yield* DirectoryUsers
  const { startIndex, total, found } = yield* findResources<DirectoryUser>(
    {
      kind: userKind,
      find: (lookUps, page) => users.find(caller.account_id, lookUps, page),
      list: (page) => users.list(caller.account_id, page),
      matching: (filter, candidates) =>
        inSlices(matchingIn(candidates, (user) => matchesFilter(filter, printedDirectoryUser(user, []))))
    },
    query
  )
  const ids = found.map(({ id }) => id)
  const { users: answered, groups } =
    found.length > 0 && isAnswered(userKind, query, "groups")
      ? yield* groupsOfUsers(caller.account_id, ids)
      : { users: ids, groups: new Map<string, readonly GroupMember[]>() }
  const Resources = found
    .slice(0, answered.length)
    .map((user) => projectResource(userKind, printedDirectoryUser(user, groups.get(user.id) ?? []), query))
  return { schemas: [scimUrns.list], totalResults: total, startIndex, itemsPerPage: Resources.length, Resources }
})

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

/** Rule: scim#patches. */
export const patchDirectoryUser = operation("patchDirectoryUser")(function* (
  caller: Caller,
  id: string,
  body: Values,
  projection: Projection
) {
  const steps = yield* readPatch(userKind, body)
  return yield* reviseDirectoryUser(caller, id, projection, (user) =>
    Result.flatMap(patchResource(resourceOfUser(user), steps), (resource) =>
      // What it meant is not guessed: a user that was to be deprovisioned must not stay active in silence.
      resource["active"] === undefined
        ? Result.fail(invalid("read_only_attribute", "Operations", "active cannot be removed: send true or false"))
        : Result.map(userFactsOf(resource), (facts) => withFacts(user, facts))
    )
  )
})

/** What is not sent is removed, but `active`, whose absence says nothing. Rule: scim#directory-users. */
export const putDirectoryUser = operation("putDirectoryUser")(function* (
  caller: Caller,
  id: string,
  sent: Values,
  projection: Projection
) {
  const facts = yield* Effect.fromResult(readUserFacts(sent))
  return yield* reviseDirectoryUser(caller, id, projection, (user) => Result.succeed(withFacts(user, facts)))
})
