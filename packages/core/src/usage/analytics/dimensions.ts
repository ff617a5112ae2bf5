/** The field of an event that each dimension shows. Columns of stores have the same names. Rule: analytics#dimensions. */
import type { DimensionName } from "@gatewarden/contract"

export type DimensionField =
  | "model"
  | "variant"
  | "api_key_hash"
  | "user_id"
  | "workspace_id"
  | "app"
  | "id"
  | "provider"
  | "origin"
  | "country"
  | "finish_reason"
  | "external_user"
  | "context_length_bucket"
  | "endpoint_tag"

/** What rows can be grouped by: the dimensions of queries, and the endpoint, for activity. */
export type PlannedDimension = DimensionName | "endpoint"

export const dimensions: Readonly<Record<PlannedDimension, DimensionField>> = {
  model: "model",
  variant: "variant",
  api_key_id: "api_key_hash",
  user: "user_id",
  workspace: "workspace_id",
  app: "app",
  generation_id: "id",
  provider: "provider",
  origin: "origin",
  country: "country",
  finish_reason: "finish_reason",
  external_user: "external_user",
  context_length_bucket: "context_length_bucket",
  endpoint: "endpoint_tag"
}
