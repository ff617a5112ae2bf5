import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { Assignments } from "../ports/guardrails.ts"
import { keysWithinReach } from "./keysWithinReach.ts"

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
