/** A new preset with all defaults (Rule: presets#new-presets). Its version is appended to it. */
import type { PresetSummary, PresetVersion } from "@gatewarden/contract"
import type { PresetDraft } from "../ports/presets.ts"

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
