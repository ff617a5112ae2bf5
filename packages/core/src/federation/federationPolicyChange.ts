/** Maps the fields of a request to the stored values that they set. Rule: requests#patches. */
import type { FederationPolicy, UpdateFederationPolicy } from "@gatewarden/contract"
import { sentFields } from "../value/sentFields.ts"

type PolicyFields = Omit<FederationPolicy, "id" | "workspace_id" | "created_at" | "updated_at">

/** Only the fields that a request sets; absent ones stay. */
export type FederationPolicyChange = { readonly [K in keyof PolicyFields]?: PolicyFields[K] }

export const federationPolicyChange = (fields: UpdateFederationPolicy): FederationPolicyChange =>
  sentFields(
    fields,
    ["jwks_uri", "claims", "limit", "user_id"],
    ["name", "issuer", "audience", "subject", "lifetime_seconds", "allow_reuse", "disabled"]
  )
