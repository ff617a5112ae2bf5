import type { UpdateGuardrail } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { invalid, notFound } from "../value/failure.ts"
import { entityTooLarge, isOversized } from "../ports/limits.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { patternsOfFilters, refusePatterns } from "./refusePatterns.ts"
import { refuseMembersGuardrail } from "./refuseMembersGuardrail.ts"
import { Guardrails, guardrailChange } from "../ports/guardrails.ts"
import { withWarnings } from "./unmatchedNames.ts"

/** Rule: requests#patches, requests#entity-sizes, access#restricted-keys. */
export const updateGuardrail = operation("updateGuardrail")(function* (
  caller: Caller,
  id: string,
  fields: UpdateGuardrail
) {
  yield* refuseMembersGuardrail(caller, id)
  yield* refusePatterns(patternsOfFilters(fields.content_filters))
  const guardrails = yield* Guardrails
  const outcome = yield* guardrails.update(caller.account_id, id, guardrailChange(fields), yield* timestamp)
  if (outcome === "missing") return yield* notFound()
  if (outcome === "name_kept")
    return yield* invalid(
      "default_guardrail_name",
      "name",
      "A default guardrail takes its name from its workspace; leave name out"
    )
  if (isOversized(outcome)) return yield* entityTooLarge("guardrail", outcome, fields)
  return yield* withWarnings(caller.account_id, outcome, fields)
})
