import type { Caller } from "../access/Caller.ts"
import type { PageRequest } from "../value/Page.ts"
import { operation } from "../tracing/operation.ts"
import { Assignments } from "../ports/guardrails.ts"

/** The users of the account that have a guardrail. Rule: guardrails#assignments. */
export const listMemberAssignments = operation("listMemberAssignments")(function* (caller: Caller, page: PageRequest) {
  return yield* (yield* Assignments).listMembers(caller.account_id, {}, page)
})
