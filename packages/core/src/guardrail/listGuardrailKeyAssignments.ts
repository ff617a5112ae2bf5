import type { Caller } from "../access/Caller.ts"
import type { PageRequest } from "../value/Page.ts"
import { operation } from "../tracing/operation.ts"
import { Assignments } from "../ports/guardrails.ts"
import { getGuardrail } from "./getGuardrail.ts"

/** The keys that have this guardrail. Rule: guardrails#assignments. */
export const listGuardrailKeyAssignments = operation("listGuardrailKeyAssignments")(function* (
  caller: Caller,
  id: string,
  page: PageRequest
) {
  const { id: guardrail_id } = yield* getGuardrail(caller, id)
  return yield* (yield* Assignments).listKeys(caller.account_id, { guardrail_id }, page)
})
