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
import { usageInOrder } from "./0051_usage_in_order.ts"
import { federation } from "./0052_federation.ts"
import { keySecrets } from "./0053_key_secrets.ts"
import { restrictedKeys } from "./0054_restricted_keys.ts"
import { datasets } from "./0055_datasets.ts"
import { delivery } from "./0056_delivery.ts"
import { creditGrants } from "./0057_credit_grants.ts"
import { directory } from "./0058_directory.ts"
import { deliveryLog } from "./0059_delivery_log.ts"
import { generationContent } from "./0060_generation_content.ts"
import { rowLevelSecurity } from "./0061_row_level_security.ts"
import { alerts } from "./0062_alerts.ts"
import { personalIndexes } from "./0063_personal_indexes.ts"
import { erasures } from "./0064_erasures.ts"
import { deletedKeyOwner } from "./0065_deleted_key_owner.ts"
import { openSpans } from "./0066_open_spans.ts"
import { deliveryTogether } from "./0067_delivery_together.ts"
import { erasureIndexes } from "./0068_erasure_indexes.ts"
import { namedUsers } from "./0069_named_users.ts"
import { deliveryMessages } from "./0072_delivery_messages.ts"
import { movedDestinations } from "./0073_moved_destinations.ts"
import { cacheWrites } from "./0074_cache_writes.ts"
import { defaultGuardrailBudgets } from "./0075_default_guardrail_budgets.ts"
import { presetDesignation } from "./0076_preset_designation.ts"
import { processes } from "./0077_processes.ts"
import { auditSignatures } from "./0078_audit_signatures.ts"
import { mailRecipients } from "./0079_mail_recipients.ts"
import { repetitionBytes } from "./0080_repetition_bytes.ts"
import { organizationSettings } from "./0081_organization_settings.ts"
import { externalUsers } from "./0083_external_users.ts"
import { privateEndpoints } from "./0082_private_endpoints.ts"
import { declaredRegion } from "./0084_declared_region.ts"
import { chargedHolds } from "./0085_charged_holds.ts"
import { publicUsage } from "./0086_public_usage.ts"
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
  listing,
  usageInOrder,
  federation,
  keySecrets,
  restrictedKeys,
  datasets,
  delivery,
  creditGrants,
  directory,
  deliveryLog,
  generationContent,
  rowLevelSecurity,
  alerts,
  personalIndexes,
  erasures,
  deletedKeyOwner,
  openSpans,
  deliveryTogether,
  erasureIndexes,
  namedUsers,
  deliveryMessages,
  movedDestinations,
  cacheWrites,
  defaultGuardrailBudgets,
  presetDesignation,
  processes,
  auditSignatures,
  mailRecipients,
  repetitionBytes,
  organizationSettings,
  privateEndpoints,
  externalUsers,
  declaredRegion,
  chargedHolds,
  publicUsage
] as const
