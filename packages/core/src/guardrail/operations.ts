import type {
  CreateGuardrail,
  Guardrail,
  QueryOf,
  UpdateGuardrail,
  listGuardrails as declaration
} from "@gatewarden/contract/internal"
import { Effect, Option } from "effect"
import { type Caller, namesResource } from "../access/Caller.ts"
import { resolveWorkspace, unknownWorkspace } from "../access/workspaceOfRequest.ts"
import { entityTooLarge, requireQuota } from "../limits/requireQuota.ts"
import { Entropy } from "../platform/Entropy.ts"
import { Guardrails, guardrailChange, unrestricted } from "../ports/guardrails.ts"
import { isOversized, oversized } from "../ports/limits.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/calendar.ts"
import { invalid, notFound } from "../value/failure.ts"
import {
  isSameFilters,
  patternsOfFilters,
  refuseGuardrailBeyondReach,
  refusePatterns,
  requirePromptsForFilters
} from "./guardrail.ts"
import { withWarnings } from "./unmatchedNames.ts"

/**
 * Rule: guardrails#new-guardrails, guardrails#who-may-set-patterns, requests#entity-sizes. The guardrail enforces nothing until it is
 * assigned.
 */
export const createGuardrail = operation("createGuardrail")(function* (caller: Caller, fields: CreateGuardrail) {
  yield* requirePromptsForFilters(caller, fields.content_filters)
  yield* refusePatterns(patternsOfFilters(fields.content_filters))
  yield* requireQuota("guardrails_per_account", caller)
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

/** Not a default guardrail, whether somebody has configured it or not. Rule: guardrails#default-guardrail, access#restricted-keys. */
export const deleteGuardrail = operation("deleteGuardrail")(function* (caller: Caller, id: string) {
  yield* refuseGuardrailBeyondReach(caller, id)
  const outcome = yield* (yield* Guardrails).remove(caller.account_id, id)
  if (outcome === "missing") return yield* notFound()
  if (outcome === "default")
    return yield* invalid("default_guardrail_kept", "path.id", "The default guardrail of a workspace cannot be deleted")
  return { deleted: true as const }
})

/** Rule: guardrails#default-guardrail. A default guardrail that was never updated is not stored, so it is 404. */
export const getGuardrail = operation("getGuardrail")(function* (caller: Caller, id: string) {
  const guardrails = yield* Guardrails
  const found = yield* guardrails.find(caller.account_id, id)
  return Option.isSome(found) ? found.value : yield* notFound()
})

/** Rule: requests#lists. */
export const listGuardrails = operation("listGuardrails")(function* (
  caller: Caller,
  { workspace_id, ...page }: QueryOf<typeof declaration>
) {
  const workspace = yield* resolveWorkspace(caller, workspace_id, "query.workspace_id")
  return yield* (yield* Guardrails).list(caller.account_id, { workspace_id: workspace }, page)
})

/**
 * The change that the caller may make. A restricted key without `prompts` may send the stored filters, which are then left out of the
 * change, so that they cannot replace others that are stored in the meantime. Rule: guardrails#who-may-set-patterns.
 */
const permittedChange = Effect.fnUntraced(function* (caller: Caller, id: string, fields: UpdateGuardrail) {
  const change = guardrailChange(fields)
  if (change.content_filters == null || namesResource(caller, "prompts")) return change
  const found = yield* (yield* Guardrails).find(caller.account_id, id)
  const stored = Option.isSome(found) ? found.value.content_filters : null
  if (!isSameFilters(change.content_filters, stored)) yield* requirePromptsForFilters(caller, change.content_filters)
  const { content_filters: _, ...others } = change
  return others
})

/** Rule: requests#patches, requests#entity-sizes, access#restricted-keys, guardrails#who-may-set-patterns. */
export const updateGuardrail = operation("updateGuardrail")(function* (
  caller: Caller,
  id: string,
  fields: UpdateGuardrail
) {
  yield* refuseGuardrailBeyondReach(caller, id)
  const change = yield* permittedChange(caller, id, fields)
  yield* refusePatterns(patternsOfFilters(fields.content_filters))
  const guardrails = yield* Guardrails
  const outcome = yield* guardrails.update(caller.account_id, id, change, yield* timestamp)
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
