import type { CreateWorkspace } from "@gatewarden/contract"
import { defaultGuardrailId } from "../ports/guardrails.ts"
import { type StoredWorkspace, clearedSettings, workspaceChange } from "../ports/workspaces.ts"

/** A new workspace with all defaults (Rule: workspaces#new-workspaces). */
export const newWorkspace = (id: string, fields: CreateWorkspace, author: string, now: string): StoredWorkspace => ({
  id,
  slug: fields.slug,
  name: fields.name,
  created_by: author,
  default_guardrail_id: defaultGuardrailId(id),
  ...clearedSettings,
  is_data_discount_logging_enabled: false,
  is_observability_broadcast_enabled: null,
  is_observability_io_logging_enabled: false,
  ...workspaceChange(fields),
  created_at: now,
  updated_at: now
})
