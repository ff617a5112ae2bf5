/** Every migration, in order. Forward only: one that was released is never edited, a change is a new file. */
import { intervalSlots } from "./0041_interval_slots.ts"
import { background } from "./0042_background.ts"
import { audit } from "./0043_audit.ts"
import { sealAnew } from "./0044_seal_anew.ts"
import { slotsByInterval } from "./0045_slots_by_interval.ts"
import { presetLists } from "./0046_preset_lists.ts"
import { workspaceSettings } from "./0047_workspace_settings.ts"
import { comparedDestinations } from "./0048_compared_destinations.ts"
import { generationFeedback } from "./0049_generation_feedback.ts"
import { listing } from "./0050_listing.ts"
import { baseline } from "./baseline/baseline.ts"

export const migrations = [
  baseline,
  intervalSlots,
  background,
  audit,
  sealAnew,
  slotsByInterval,
  presetLists,
  workspaceSettings,
  comparedDestinations,
  generationFeedback,
  listing
] as const
