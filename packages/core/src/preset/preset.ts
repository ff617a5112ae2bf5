import {
  noUser,
  type PresetSummary,
  type PresetVersion,
  type Workspace,
  presetSlugPattern,
  presetVersionPattern
} from "@gatewarden/contract/internal"
import { Effect, Option } from "effect"
import { type Caller, authorOf } from "../access/Caller.ts"
import { workspaceNotFound } from "../access/workspaceOfRequest.ts"
import { quotaExceeded, requireQuota, usableQuota } from "../limits/requireQuota.ts"
import { Entropy } from "../platform/Entropy.ts"
import { type PresetDraft, Presets } from "../ports/presets.ts"
import { Workspaces } from "../ports/workspaces.ts"
import { fieldsFor } from "../request/requestFields.ts"
import { timestamp } from "../value/calendar.ts"
import { Forbidden, invalid, notFound } from "../value/failure.ts"
import type { PresetContent } from "./operations.ts"

/** A new preset with all defaults (Rule: presets#new-presets). Its version is appended to it. */
export const newPreset = (draft: PresetDraft): PresetSummary => ({
  id: draft.new_preset_id,
  workspace_id: draft.workspace_id,
  name: draft.slug,
  slug: draft.slug,
  description: null,
  status: "active",
  status_updated_at: null,
  creator_user_id: draft.creator_id,
  designated_version_id: draft.version_id,
  created_at: draft.now,
  updated_at: draft.now
})

const utf8 = new TextEncoder()

/** The size of a version for the workspace's quota: the UTF-8 bytes of its config and its prompt. */
export const bytesOfVersion = ({ config, system_prompt }: Pick<PresetVersion, "config" | "system_prompt">): number =>
  utf8.encode(JSON.stringify(config)).length + utf8.encode(system_prompt).length

/**
 * Who designates versions of presets. Rule: presets#who-designates.
 *
 * The presets whose versions the caller designates: `undefined` for all, otherwise those of this creator; `null`: none. API keys without a
 * user share their creator with every other one, so nothing is theirs.
 */
export const designatedOf = (
  caller: Caller,
  { presets_designated_by: by }: Pick<Workspace, "presets_designated_by">
): PresetDraft["designated_of"] => {
  if (by === "management_keys") return caller.kind === "management" ? undefined : null
  if (by === "any_key" && caller.issued !== true) return undefined
  const author = authorOf(caller)
  // Also of a key that an older version made for a user with this id.
  return author === noUser && caller.kind === "normal" ? null : author
}

/** Appends a version and designates it if the caller may, within the quotas. Rule: presets#versions, presets#who-designates, operating#storage-quotas. */
export const appendVersion = Effect.fnUntraced(function* (
  caller: Caller,
  workspace_id: string,
  slug: string,
  content: PresetContent
) {
  const { account_id } = caller
  const workspace = yield* (yield* Workspaces).find(account_id, workspace_id)
  if (Option.isNone(workspace)) return yield* workspaceNotFound()
  const entropy = yield* Entropy
  const presets = yield* Presets
  const preset = yield* presets.append(account_id, {
    workspace_id,
    slug,
    new_preset_id: entropy.uuid(),
    version_id: entropy.uuid(),
    config: content.config,
    system_prompt: content.system_prompt,
    creator_id: authorOf(caller),
    designated_of: designatedOf(caller, workspace.value),
    most_versions: yield* usableQuota("versions_per_preset", caller),
    most_bytes: yield* usableQuota("preset_bytes_per_workspace", caller),
    now: yield* timestamp
  })
  if (Option.isSome(preset)) return preset.value
  // Nothing deletes a version, so that what had no room has none now.
  const whose = { account_id, workspace_id, kind: caller.kind }
  yield* requireQuota("preset_bytes_per_workspace", whose, bytesOfVersion(content), "Use another workspace")
  const full = yield* presets.listVersions(account_id, workspace_id, slug, { limit: 1, offset: 0 })
  if (Option.isNone(full)) return yield* workspaceNotFound()
  return yield* quotaExceeded(
    "versions_per_preset",
    caller,
    `This preset has ${full.value.total_count} versions`,
    "Use another slug"
  )
})

const kept: ReadonlySet<string> = new Set(fieldsFor("preset"))

/** How a form of request writes a field in another way than a chat completion, by field. */
export type Translations = Readonly<Record<string, (value: unknown) => unknown>>

/**
 * The fields of a request that a preset keeps.
 *
 * Rule: presets#kept-fields. Messages, streaming and what belongs to a single request (user, session, metadata, trace) are not kept.
 *
 * The kept fields of a request in its order, verbatim unless they are translated; `null` counts as absent.
 */
export const presetConfig = (sent: object, translations: Translations = {}): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(sent)
      .filter(([name, value]) => kept.has(name) && value !== null)
      .map(([name, value]) => [name, translations[name]?.(value) ?? value])
  )

/** A malformed slug is 400, where a malformed id would be 404 (Rule: presets#slugs). */
export const requireSlug = Effect.fnUntraced(function* (slug: string) {
  if (!presetSlugPattern.test(slug))
    return yield* invalid("invalid_preset_slug", "path.slug", "Expected 1 to 128 letters, digits, `.`, `_`, `~` or `-`")
})

/** Fails if the workspace does not let the caller designate versions of the preset. Rule: presets#who-designates. */
export const requireDesignation = Effect.fnUntraced(function* (caller: Caller, workspace_id: string, slug: string) {
  const workspace = yield* (yield* Workspaces).find(caller.account_id, workspace_id)
  if (Option.isNone(workspace)) return yield* workspaceNotFound()
  const creator = designatedOf(caller, workspace.value)
  if (creator === undefined) return
  const preset = yield* (yield* Presets).find(caller.account_id, workspace_id, slug)
  if (Option.isNone(preset)) return yield* notFound()
  if (preset.value.creator_user_id !== creator) return yield* new Forbidden({ reason: "preset_designation" })
})

/** The version that a path names by its number; 404 for any other text, as for every name in a path. Rule: presets#reading-versions. */
export const requireVersion = Effect.fnUntraced(function* (
  account_id: string,
  workspace_id: string,
  slug: string,
  number: string
) {
  if (!presetVersionPattern.test(number)) return yield* notFound()
  const found = yield* (yield* Presets).findVersion(account_id, workspace_id, slug, Number(number))
  return Option.isSome(found) ? found.value : yield* notFound()
})
