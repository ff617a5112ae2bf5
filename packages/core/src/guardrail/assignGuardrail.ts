/**
 * Assigns a guardrail to keys or to members.
 *
 * Rule: guardrails#assignments, access#users: a user exists once a key or a membership names it. The error does not tell which name was
 * refused, so that keys of other accounts cannot be found out.
 */
import type { Caller } from "../access/Caller.ts"
import { keysWithinReach } from "./keysWithinReach.ts"
import { invalid, notFound } from "../value/failure.ts"
import { Entropy } from "../platform/Entropy.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { Assignments } from "../ports/guardrails.ts"

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

export const assignGuardrail = operation("assignGuardrail")(function* (
  kind: Kind,
  caller: Caller,
  guardrail_id: string,
  names: readonly string[]
) {
  const { assignKeys, assignMembers } = yield* Assignments
  if (kind === "keys" && (yield* keysWithinReach(caller, names)).length < names.length) return yield* unusable.keys()
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
