import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { Guardrails } from "../ports/guardrails.ts"

/** Rule: guardrails#default-guardrail. A default guardrail that was never updated is not stored, so it is 404. */
export const getGuardrail = operation("getGuardrail")(function* (caller: Caller, id: string) {
  const guardrails = yield* Guardrails
  const found = yield* guardrails.find(caller.account_id, id)
  return Option.isSome(found) ? found.value : yield* notFound()
})
