/** A preset as it is at first: every default of decisions 12 and 13. Its version is appended to it. */
import type { Preset } from "@gatewarden/contract"
import type { PresetDraft } from "./Presets.ts"

export type PresetRow = Omit<Preset, "designated_version">

export const newPreset = (draft: PresetDraft): PresetRow => ({
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
