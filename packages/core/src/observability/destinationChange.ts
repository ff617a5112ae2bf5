/** Maps the fields of a request to the stored values that they set. Rule: requests#patches. */
import type { Destination, UpdateDestination } from "@gatewarden/contract"
import { sentFields } from "../value/sentFields.ts"

/** What a request may set, except the config, which is merged. */
type DestinationFields = Omit<Destination, "id" | "workspace_id" | "type" | "config" | "created_at" | "updated_at">

/** Only the fields that a request sets; absent ones stay. */
export type DestinationChange = { readonly [K in keyof DestinationFields]?: DestinationFields[K] }

const nullable = ["name", "api_key_hashes", "filter_rules"] as const

/** For these fields `null` counts as absent, where the contract accepts it. */
const notNullable = [
  "enabled",
  "privacy_mode",
  "sampling_rate",
  "broadcast_generation_cost",
  "broadcast_generation_identity",
  "broadcast_generation_request_context",
  "regions"
] as const

export const destinationChange = (fields: Omit<UpdateDestination, "config">): DestinationChange =>
  sentFields(fields, nullable, notNullable)
