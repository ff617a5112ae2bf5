import type { CreateWorkspace, UpdateOrganizationSettings, UpdateWorkspace } from "@gatewarden/contract/internal"
import { Effect, Option } from "effect"
import { type Caller, authorOf, mayUseResource, reachedWorkspaces } from "../access/Caller.ts"
import { requirePromptsToBroadcast } from "../destination/requirePrompts.ts"
import { requireQuota } from "../limits/requireQuota.ts"
import { Entropy } from "../platform/Entropy.ts"
import { Assignments, defaultGuardrailId } from "../ports/guardrails.ts"
import { OrganizationSettings, type StoredWorkspace, Workspaces, shownWorkspace } from "../ports/workspaces.ts"
import { operation } from "../tracing/operation.ts"
import type { PageRequest } from "../value/Page.ts"
import { timestamp } from "../value/calendar.ts"
import { compareText } from "../value/text.ts"
import { invalid, notFound, restrictedKey } from "../value/failure.ts"
import { clearedSettings, workspaceChange } from "./workspace.ts"

/** A new workspace with all defaults (Rule: workspaces#new-workspaces). */
export const newWorkspace = (id: string, fields: CreateWorkspace, author: string, now: string): StoredWorkspace => ({
  id,
  slug: fields.slug,
  name: fields.name,
  created_by: author,
  default_guardrail_id: defaultGuardrailId(id),
  ...clearedSettings,
  is_data_discount_logging_enabled: false,
  is_observability_broadcast_enabled: null,
  is_observability_io_logging_enabled: false,
  ...workspaceChange(fields),
  created_at: now,
  updated_at: now
})

/** 400, because the public API declares no 409 here. Rule: workspaces#new-workspaces. */
export const slugTaken = () => invalid("slug_taken", "slug", "Another workspace of this account has this slug")

/** Rule: workspaces#new-workspaces. */
export const createWorkspace = operation("createWorkspace")(function* (caller: Caller, fields: CreateWorkspace) {
  yield* requireQuota("workspaces_per_account", caller)
  const workspaces = yield* Workspaces
  const workspace = newWorkspace((yield* Entropy).uuid(), fields, authorOf(caller), yield* timestamp)
  if (yield* workspaces.insert(caller.account_id, workspace)) return shownWorkspace(workspace, false)
  return yield* slugTaken()
})

/**
 * The guardrails of a workspace are deleted with it. A key that may not write guardrails does not lift them from members, or from keys that
 * live elsewhere. Rule: workspaces#deleting-a-workspace, access#restricted-keys.
 */
const refuseLiftingGuardrails = Effect.fnUntraced(function* (caller: Caller, workspace_id: string) {
  const reached = reachedWorkspaces(caller)
  if (reached === undefined && mayUseResource(caller, "guardrails")) return
  const beyond = yield* (yield* Assignments).appliesBeyond(caller.account_id, { workspace_id }, [workspace_id])
  if (beyond === undefined) return
  return yield* restrictedKey(
    "path.id",
    reached === undefined ? "resources" : "workspace_ids",
    `Guardrails of the workspace are assigned to ${
      beyond === "members" ? "members" : "keys of other workspaces"
    }, and this key may not remove them. Remove the assignments with another key first.`
  )
})

/**
 * Rule: workspaces#deleting-a-workspace, workspaces#default-workspace. Refused while active keys exist; the default workspace needs a
 * confirmation, and takes its keys with it.
 */
export const deleteWorkspace = operation("deleteWorkspace")(function* (
  caller: Caller,
  idOrSlug: string,
  confirmed: boolean
) {
  const workspaces = yield* Workspaces
  const found = yield* workspaces.find(caller.account_id, idOrSlug)
  if (Option.isNone(found)) return yield* notFound()
  const isDefault = found.value.id === caller.default_workspace_id
  if (isDefault && !confirmed)
    return yield* invalid(
      "confirmation_required",
      "query.confirm_default_workspace_deletion",
      "Deleting the default workspace must be confirmed"
    )
  yield* refuseLiftingGuardrails(caller, found.value.id)
  const outcome = yield* workspaces.remove(caller.account_id, found.value.id, {
    force: isDefault,
    now: yield* timestamp
  })
  if (outcome === "missing") return yield* notFound()
  if (outcome === "has_keys")
    return yield* invalid("workspace_not_empty", "path.id", "The workspace has active API keys; delete them first")
  return { deleted: true as const }
})

/** A management key reads any workspace of its account, another key only its own (Rule: workspaces#reading-a-workspace). */
export const getWorkspace = operation("getWorkspace")(function* (caller: Caller, idOrSlug: string) {
  const workspaces = yield* Workspaces
  const found = yield* workspaces.find(caller.account_id, idOrSlug)
  if (Option.isNone(found)) return yield* notFound()
  if (caller.kind !== "management" && found.value.id !== caller.workspace_id) return yield* notFound()
  return found.value
})

/** Look-ups at a time. */
const atOnce = 8

/** Rule: requests#lists, workspaces#reading-a-workspace, access#restricted-keys. */
export const listWorkspaces = operation("listWorkspaces")(function* (caller: Caller, page: PageRequest) {
  const workspaces = yield* Workspaces
  const reached = reachedWorkspaces(caller)
  if (reached === undefined) return yield* workspaces.list(caller.account_id, page)
  // A key names at most a hundred of them; one of them may have been deleted since.
  const found = yield* Effect.forEach(reached, (id) => workspaces.find(caller.account_id, id), { concurrency: atOnce })
  const all = found
    .flatMap((one, index) => (Option.isSome(one) && one.value.id === reached[index] ? [one.value] : []))
    .sort((a, b) => compareText(a.created_at, b.created_at) || compareText(a.id, b.id))
  return { data: all.slice(page.offset, page.offset + page.limit), total_count: all.length }
})

/** The workspace of the account that a path names by id or slug. */
export const requireWorkspace = Effect.fnUntraced(function* (caller: Caller, idOrSlug: string) {
  const found = yield* (yield* Workspaces).find(caller.account_id, idOrSlug)
  return Option.isSome(found) ? found.value : yield* notFound()
})

/**
 * Applies at once on this process, within two seconds on every other.
 *
 * Rule: workspaces#updating-a-workspace, access#restricted-keys, observability#who-may-send-bodies.
 */
export const updateWorkspace = operation("updateWorkspace")(function* (
  caller: Caller,
  idOrSlug: string,
  fields: UpdateWorkspace
) {
  const { id, slug, is_observability_broadcast_enabled: broadcasts } = yield* requireWorkspace(caller, idOrSlug)
  // Whether a slug is free tells of workspaces that the key does not reach.
  if (fields.slug !== undefined && fields.slug !== slug && reachedWorkspaces(caller) !== undefined)
    return yield* restrictedKey(
      "slug",
      "workspace_ids",
      "A key that is restricted to workspaces cannot change a slug, which is unique in the whole account"
    )
  if (fields.is_observability_broadcast_enabled === true && !broadcasts) yield* requirePromptsToBroadcast(caller, id)
  const outcome = yield* (yield* Workspaces).update(caller.account_id, id, workspaceChange(fields), yield* timestamp)
  if (outcome === "missing") return yield* notFound()
  if (outcome === "slug_taken") return yield* slugTaken()
  return outcome
})

/** Rule: access#organization-settings. */
export const getOrganizationSettings = operation("getOrganizationSettings")(function* ({ account_id }: Caller) {
  return yield* (yield* OrganizationSettings).of(account_id)
})

/** Rule: access#organization-settings. */
export const updateOrganizationSettings = operation("updateOrganizationSettings")(function* (
  { account_id }: Caller,
  fields: UpdateOrganizationSettings
) {
  return yield* (yield* OrganizationSettings).update(account_id, fields)
})
