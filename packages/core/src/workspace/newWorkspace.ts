import type { CreateWorkspace, Workspace } from "@gatewarden/contract"
import { defaultGuardrailId } from "../guardrail/defaultGuardrailId.ts"

/** A new workspace with all defaults (Rule: workspaces#new-workspaces). */
export const newWorkspace = (id: string, fields: CreateWorkspace, author: string, now: string): Workspace => ({
  id,
  slug: fields.slug,
  name: fields.name,
  description: fields.description ?? "",
  created_by: author,
  default_text_model: fields.default_text_model ?? "",
  default_image_model: fields.default_image_model ?? "",
  default_provider_sort: fields.default_provider_sort ?? "",
  default_guardrail_id: defaultGuardrailId(id),
  io_logging_api_key_ids: fields.io_logging_api_key_ids ?? null,
  io_logging_sampling_rate: fields.io_logging_sampling_rate ?? 1,
  is_data_discount_logging_enabled: fields.is_data_discount_logging_enabled ?? false,
  is_observability_broadcast_enabled: fields.is_observability_broadcast_enabled ?? false,
  is_observability_io_logging_enabled: fields.is_observability_io_logging_enabled ?? false,
  created_at: now,
  updated_at: now
})
