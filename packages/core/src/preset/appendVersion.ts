import { Effect, Option } from "effect"
import { authorOf, type Caller } from "../access/Caller.ts"
import { Entropy } from "../platform/Entropy.ts"
import { quotaExceeded, requireRoom, StorageSettings } from "../limits/requireRoom.ts"
import { timestamp } from "../value/timestamp.ts"
import { workspaceNotFound } from "../access/workspaceOfCaller.ts"
import { Workspaces } from "../ports/workspaces.ts"
import { designatedOf } from "./designation.ts"
import { bytesOfVersion } from "./newPreset.ts"
import type { PresetContent } from "./presetForms.ts"
import { Presets } from "../ports/presets.ts"

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
  const { versions_per_preset: most_versions, preset_bytes_per_workspace: most_bytes } = yield* StorageSettings
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
    most_versions,
    most_bytes,
    now: yield* timestamp
  })
  if (Option.isSome(preset)) return preset.value
  // Nothing deletes a version, so that what had no room has none now.
  yield* requireRoom("preset_bytes_per_workspace", { account_id, workspace_id }, bytesOfVersion(content))
  const full = yield* presets.listVersions(account_id, workspace_id, slug, { limit: 1, offset: 0 })
  if (Option.isNone(full)) return yield* workspaceNotFound()
  return yield* quotaExceeded(
    "versions_per_preset",
    most_versions,
    `This preset has ${full.value.total_count} versions`,
    "Use another slug"
  )
})
