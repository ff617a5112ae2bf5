import { type Caller, reachedWorkspaces } from "../access/Caller.ts"
import { Entropy } from "../platform/Entropy.ts"
import { type AssignmentFilter, Assignments } from "../ports/guardrails.ts"
import { operation } from "../tracing/operation.ts"
import type { PageRequest } from "../value/Page.ts"
import { timestamp } from "../value/calendar.ts"
import { invalid, notFound } from "../value/failure.ts"
import { keysWithinReach, refuseReplacing } from "./guardrail.ts"
import { getGuardrail } from "./operations.ts"

type Kind = "keys" | "members"

const unusable = {
  keys: () =>
    invalid(
      "unknown_api_key_hash",
      "key_hashes",
      "Expected hashes of API keys that are not expired, and no management keys"
    ),
  members: () =>
    invalid("unknown_user", "member_user_ids", "Expected users that an API key or a membership of this account names")
} as const

/**
 * Assigns a guardrail to keys or to members.
 *
 * Rule: guardrails#assignments, access#restricted-keys, access#users: a user exists once a key or a membership names it. The error does not
 * tell which name was refused, so that keys of other accounts cannot be found out.
 */
export const assignGuardrail = operation("assignGuardrail")(function* (
  kind: Kind,
  caller: Caller,
  guardrail_id: string,
  names: readonly string[]
) {
  const { assignKeys, assignMembers } = yield* Assignments
  if (kind === "keys") {
    if ((yield* keysWithinReach(caller, names)).length < names.length) return yield* unusable.keys()
    yield* refuseReplacing(caller, names)
  }
  const entropy = yield* Entropy
  const outcome = yield* (kind === "keys" ? assignKeys : assignMembers)(
    caller.account_id,
    guardrail_id,
    names.map((name) => ({ name, id: entropy.uuid() })),
    { assigned_by: caller.user_id, now: yield* timestamp }
  )
  if (outcome === "unknown") return yield* unusable[kind]()
  if (outcome === "missing") return yield* notFound()
  return { assigned_count: names.length }
})

/** A restricted key sees only what its workspaces name. Rule: access#restricted-keys. */
const withinReach = (caller: Caller, filter: AssignmentFilter): AssignmentFilter => {
  const workspace_ids = reachedWorkspaces(caller)
  return workspace_ids === undefined ? filter : { ...filter, workspace_ids }
}

/** The keys that have this guardrail. Rule: guardrails#assignments. */
export const listGuardrailKeyAssignments = operation("listGuardrailKeyAssignments")(function* (
  caller: Caller,
  id: string,
  page: PageRequest
) {
  const { id: guardrail_id } = yield* getGuardrail(caller, id)
  return yield* (yield* Assignments).listKeys(caller.account_id, withinReach(caller, { guardrail_id }), page)
})

/** The users that have this guardrail. Rule: guardrails#assignments. */
export const listGuardrailMemberAssignments = operation("listGuardrailMemberAssignments")(function* (
  caller: Caller,
  id: string,
  page: PageRequest
) {
  const { id: guardrail_id } = yield* getGuardrail(caller, id)
  return yield* (yield* Assignments).listMembers(caller.account_id, withinReach(caller, { guardrail_id }), page)
})

/** The keys of the account that have a guardrail. Rule: guardrails#assignments. */
export const listKeyAssignments = operation("listKeyAssignments")(function* (caller: Caller, page: PageRequest) {
  return yield* (yield* Assignments).listKeys(caller.account_id, withinReach(caller, {}), page)
})

/** The users of the account that have a guardrail. Rule: guardrails#assignments. */
export const listMemberAssignments = operation("listMemberAssignments")(function* (caller: Caller, page: PageRequest) {
  return yield* (yield* Assignments).listMembers(caller.account_id, withinReach(caller, {}), page)
})

/** Removes a guardrail from keys or members. Those that do not have it are unchanged. Rule: guardrails#assignments. */
export const unassignGuardrail = operation("unassignGuardrail")(function* (
  kind: "keys" | "members",
  caller: Caller,
  guardrail_id: string,
  names: readonly string[]
) {
  const { unassignKeys, unassignMembers } = yield* Assignments
  const removed = yield* kind === "keys"
    ? unassignKeys(caller.account_id, guardrail_id, yield* keysWithinReach(caller, names))
    : unassignMembers(caller.account_id, guardrail_id, names)
  return removed === "missing" ? yield* notFound() : { unassigned_count: removed }
})
