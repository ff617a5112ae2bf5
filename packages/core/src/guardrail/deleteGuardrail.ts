import type { Caller } from "../access/Caller.ts"
import { invalid, notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { refuseMembersGuardrail } from "./refuseMembersGuardrail.ts"
import { Guardrails } from "../ports/guardrails.ts"

/** Not a default guardrail, whether somebody has configured it or not. Rule: guardrails#default-guardrail, access#restricted-keys. */
export const deleteGuardrail = operation("deleteGuardrail")(function* (caller: Caller, id: string) {
  yield* refuseMembersGuardrail(caller, id)
  const outcome = yield* (yield* Guardrails).remove(caller.account_id, id)
  if (outcome === "missing") return yield* notFound()
  if (outcome === "default")
    return yield* invalid("default_guardrail_kept", "path.id", "The default guardrail of a workspace cannot be deleted")
  return { deleted: true as const }
})
