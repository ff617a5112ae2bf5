/** What a request sets of a workspace. Rule: workspaces#new-workspaces, workspaces#updating-a-workspace. */
import type { WorkspaceChange } from "../ports/workspaces.ts"
import type { UpdateWorkspace } from "@gatewarden/contract/internal"
import { sentFields } from "../value/sentFields.ts"

/** The settings that `null` clears, with the values of a new workspace. */
export const clearedSettings = {
  description: "",
  default_text_model: "",
  default_image_model: "",
  default_provider_sort: "",
  disabled_server_tools: null,
  io_logging_api_key_ids: null,
  io_logging_sampling_rate: 1,
  presets_designated_by: "any_key"
} as const satisfies WorkspaceChange

type Clearable = keyof typeof clearedSettings

const clearable = Object.keys(clearedSettings) as readonly Clearable[]

/** An empty list of tools disables none, as `null` does. */
const isCleared = (name: Clearable, value: UpdateWorkspace[Clearable]): boolean =>
  value === null || (name === "disabled_server_tools" && Array.isArray(value) && value.length === 0)

export const workspaceChange = (fields: UpdateWorkspace): WorkspaceChange => {
  const sent = clearable.flatMap((name) => {
    const value = fields[name]
    return value === undefined ? [] : [[name, isCleared(name, value) ? clearedSettings[name] : value] as const]
  })
  return {
    ...sentFields(
      fields,
      [],
      [
        "name",
        "slug",
        "is_data_discount_logging_enabled",
        "is_observability_broadcast_enabled",
        "is_observability_io_logging_enabled"
      ]
    ),
    ...(Object.fromEntries(sent) as Pick<WorkspaceChange, Clearable>)
  }
}
