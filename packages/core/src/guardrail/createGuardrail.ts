import type { CreateGuardrail, Guardrail } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { entityTooLarge, oversized } from "../ports/limits.ts"
import { requireRoom } from "../limits/requireRoom.ts"
import { Entropy } from "../platform/Entropy.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { resolveWorkspace, unknownWorkspace } from "../access/resolveWorkspace.ts"
import { Guardrails, guardrailChange, unrestricted } from "../ports/guardrails.ts"
import { patternsOfFilters, refusePatterns } from "./refusePatterns.ts"
import { withWarnings } from "./unmatchedNames.ts"

/** Rule: guardrails#new-guardrails, requests#entity-sizes. The guardrail enforces nothing until it is assigned. */
export const createGuardrail = operation("createGuardrail")(function* (caller: Caller, fields: CreateGuardrail) {
  yield* refusePatterns(patternsOfFilters(fields.content_filters))
  yield* requireRoom("guardrails_per_account", caller)
  const guardrails = yield* Guardrails
  const guardrail: Guardrail = {
    id: (yield* Entropy).uuid(),
    workspace_id: yield* resolveWorkspace(caller, fields.workspace_id, "workspace_id"),
    name: fields.name,
    ...unrestricted,
    ...guardrailChange(fields),
    created_at: yield* timestamp,
    updated_at: null
  }
  const refused = oversized(undefined, guardrail)
  if (refused !== undefined) return yield* entityTooLarge("guardrail", refused, fields)
  if (yield* guardrails.insert(caller.account_id, guardrail))
    return yield* withWarnings(caller.account_id, guardrail, fields)
  return yield* unknownWorkspace("workspace_id")
})
