/**
 * Maps the fields of a request to the stored values that they set.
 *
 * Rule: byok#allow-lists, byok#exclusive-credentials, requests#patches.
 */
import type { ByokCredential, UpdateByokCredential } from "@gatewarden/contract"
import { sentFields } from "../value/sentFields.ts"

/** The fields that a request may set, except the key. */
export type ByokFields = Omit<
  ByokCredential,
  "id" | "workspace_id" | "provider" | "label" | "sort_order" | "created_at"
>

/** Only the fields that a request sets; absent ones stay. */
export type ByokChange = { readonly [K in keyof ByokFields]?: ByokFields[K] }

/** The defaults of a credential: usable by all, neither required nor a fallback. */
export const unscoped: ByokFields = {
  name: null,
  disabled: false,
  is_fallback: false,
  is_required: false,
  is_byok_only: false,
  declared_region: null,
  declared_zdr: null,
  allowed_api_key_hashes: null,
  allowed_models: null,
  allowed_user_ids: null
}

const nullable = [
  "name",
  "declared_region",
  "declared_zdr",
  "allowed_api_key_hashes",
  "allowed_models",
  "allowed_user_ids"
] as const

/** For these fields `null` counts as absent. */
const notNullable = ["disabled", "is_fallback", "is_required", "is_byok_only"] as const

export const byokChange = (fields: Omit<UpdateByokCredential, "key">): ByokChange =>
  sentFields(fields, nullable, notNullable)
