/**
 * Workspaces: containers with defaults and logging settings.
 *
 * Rule: workspaces#new-workspaces, workspaces#reading-a-workspace, workspaces#updating-a-workspace.
 */
import * as z from "zod"
import { createdAt, dataOf, Deleted, listOf, page, pathName, queryFlag, text, updatedAt, uuid } from "./primitives.ts"
import { json, operation, optionalJson } from "./operation.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  slug: "Slug of the workspace: lowercase letters and digits in groups joined by single hyphens. Unique in the account.",
  name: "Name of the workspace.",
  description: 'Description for people. `""`: none.',
  default_text_model: 'Model of requests that name none. `""`: none.',
  default_image_model: 'Default model for images. Gatewarden stores it and does not use it. `""`: none.',
  default_provider_sort:
    'Order of endpoints for requests without `provider.order` and `provider.sort`. `""`: the order of the catalog.',
  disabled_server_tools: "Types of server tools that requests in the workspace may not name. `null`: none is disabled.",
  io_logging_api_key_ids:
    "Numbers of the API keys (`numeric_id`) whose inputs and outputs are stored. `null`: all keys.",
  io_logging_sampling_rate: "Share of the sessions whose inputs and outputs are stored, 0.0001 to 1.",
  is_data_discount_logging_enabled:
    "Whether logging in exchange for a discount is on. Gatewarden stores the setting and does not act on it.",
  is_observability_broadcast_enabled:
    "Whether the destinations of the workspace receive usage. Until it is set, it shows whether there is an enabled destination.",
  is_observability_io_logging_enabled:
    "Whether inputs and outputs of requests are stored, for `GET /generation/content`."
} as const

/** Which keys designate versions of presets. */
export const PresetsDesignatedBy = z
  .enum(["any_key", "creator", "management_keys"])
  .describe(
    "Which keys designate versions of presets in the workspace. `any_key`: every key, but one that was issued by consent or token exchange only for presets of its user. `creator`: only keys of the user who created the preset. `management_keys`: only management keys. A version that another key makes is stored and not designated."
  )

export const Workspace = z
  .object({
    id: uuid.describe("Id of the workspace."),
    slug: z.string().describe(about.slug),
    name: z.string().describe(about.name),
    description: z.string().describe(about.description),
    created_by: z.string().describe("Id of the user whose key created the workspace. `system`: the key has no user."),
    default_text_model: z.string().describe(about.default_text_model),
    default_image_model: z.string().describe(about.default_image_model),
    default_provider_sort: z.string().describe(about.default_provider_sort),
    default_guardrail_id: uuid.describe(
      "Id of the guardrail that applies to all requests in the workspace. It exists from its first change on."
    ),
    disabled_server_tools: z.array(z.string()).nullable().describe(about.disabled_server_tools),
    io_logging_api_key_ids: z.array(z.int()).nullable().describe(about.io_logging_api_key_ids),
    io_logging_sampling_rate: z.number().describe(about.io_logging_sampling_rate),
    is_data_discount_logging_enabled: z.boolean().describe(about.is_data_discount_logging_enabled),
    is_observability_broadcast_enabled: z.boolean().describe(about.is_observability_broadcast_enabled),
    is_observability_io_logging_enabled: z.boolean().describe(about.is_observability_io_logging_enabled),
    presets_designated_by: PresetsDesignatedBy,
    created_at: createdAt,
    updated_at: updatedAt
  })
  .meta({ id: "Workspace", description: "A container of keys, budgets and presets, with defaults and settings." })
export type Workspace = z.output<typeof Workspace>

export const workspaceSlug = z
  .string()
  .max(50)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "Expected lowercase letters and digits in groups joined by single hyphens")

/** The server tools that a workspace can disable. */
export const ServerToolType = z.enum([
  "openrouter:advisor",
  "openrouter:apply_patch",
  "openrouter:bash",
  "openrouter:datetime",
  "openrouter:experimental__search_models",
  "openrouter:fusion",
  "openrouter:image_generation",
  "openrouter:shell",
  "openrouter:subagent",
  "openrouter:tool_search",
  "openrouter:web_fetch",
  "openrouter:web_search"
])

const name = text(1, 100)

/** `null` is as good as the default of a new workspace; for a flag, as good as absent. */
const settings = {
  description: text(0, 500).nullish().describe(about.description),
  default_text_model: text(0, 256).nullish().describe(about.default_text_model),
  default_image_model: text(0, 256).nullish().describe(about.default_image_model),
  default_provider_sort: z
    .enum(["", "price", "throughput", "latency", "exacto"])
    .nullish()
    .describe(about.default_provider_sort),
  disabled_server_tools: z
    .array(ServerToolType)
    .max(100)
    .overwrite((tools) => [...new Set(tools)])
    .nullish()
    .describe(about.disabled_server_tools),
  io_logging_api_key_ids: z.array(z.int()).max(1000).nullish().describe(about.io_logging_api_key_ids),
  io_logging_sampling_rate: z.number().min(0.0001).max(1).nullish().describe(about.io_logging_sampling_rate),
  is_data_discount_logging_enabled: z.boolean().nullish().describe(about.is_data_discount_logging_enabled),
  is_observability_broadcast_enabled: z.boolean().nullish().describe(about.is_observability_broadcast_enabled),
  is_observability_io_logging_enabled: z.boolean().nullish().describe(about.is_observability_io_logging_enabled),
  presets_designated_by: PresetsDesignatedBy.nullish()
}

export const CreateWorkspace = z
  .object({ name: name.describe(about.name), slug: workspaceSlug.describe(about.slug), ...settings })
  .meta({ id: "CreateWorkspace", description: "A new workspace." })
export type CreateWorkspace = z.output<typeof CreateWorkspace>

export const UpdateWorkspace = z
  .object({
    name: name.optional().describe(about.name),
    slug: workspaceSlug.optional().describe(about.slug),
    ...settings
  })
  .meta({
    id: "UpdateWorkspace",
    description: "Changes of a workspace. Absent fields stay, `null` restores the default of a new workspace."
  })
export type UpdateWorkspace = z.output<typeof UpdateWorkspace>

const example: Workspace = {
  id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
  slug: "research",
  name: "Research",
  description: "Models under evaluation",
  created_by: "system",
  default_text_model: "",
  default_image_model: "",
  default_provider_sort: "",
  default_guardrail_id: "ded01a3f-c4cc-577a-8dcd-824fa38f35e0",
  disabled_server_tools: null,
  io_logging_api_key_ids: null,
  io_logging_sampling_rate: 1,
  is_data_discount_logging_enabled: false,
  is_observability_broadcast_enabled: false,
  is_observability_io_logging_enabled: false,
  presets_designated_by: "any_key",
  created_at: "2026-01-05T09:30:00.000Z",
  updated_at: "2026-01-05T09:30:00.000Z"
}

/** The id is a uuid or a slug. */
export const workspaceParams = z.object({ id: pathName.describe("Id or slug of the workspace.") })

export const createWorkspace = operation({
  id: "createWorkspace",
  method: "POST",
  path: "/workspaces",
  tag: "Workspaces",
  changes: { noun: "workspace", action: "create" },
  summary: "Create a workspace",
  access: "managementKey",
  body: json(CreateWorkspace),
  success: { schema: dataOf(Workspace), creates: true },
  errors: [400, 401, 403, 500],
  example: {
    body: { name: "Research", slug: "research", description: "Models under evaluation" },
    response: { data: example }
  }
})

export const getWorkspace = operation({
  id: "getWorkspace",
  method: "GET",
  path: "/workspaces/:id",
  tag: "Workspaces",
  changes: "nothing",
  summary: "Get a workspace by id or slug",
  access: "anyKey",
  workspaceOf: "workspace",
  params: workspaceParams,
  success: { schema: dataOf(Workspace) },
  errors: [401, 403, 404, 500],
  example: { params: { id: "research" }, response: { data: example } }
})

export const listWorkspaces = operation({
  id: "listWorkspaces",
  method: "GET",
  path: "/workspaces",
  tag: "Workspaces",
  changes: "nothing",
  summary: "List the workspaces of the account",
  access: "managementKey",
  workspaceOf: "reached",
  query: z.object(page),
  success: { schema: listOf(Workspace) },
  errors: [400, 401, 403, 500],
  example: { query: { limit: "10" }, response: { data: [example], total_count: 1 } }
})

export const updateWorkspace = operation({
  id: "updateWorkspace",
  method: "PATCH",
  path: "/workspaces/:id",
  tag: "Workspaces",
  changes: { noun: "workspace", action: "update" },
  summary: "Update a workspace by id or slug",
  description: "Absent fields stay, `null` sets the default of a new workspace, lists are replaced.",
  access: "managementKey",
  workspaceOf: "workspace",
  params: workspaceParams,
  body: optionalJson(UpdateWorkspace),
  success: { schema: dataOf(Workspace) },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { id: "research" },
    body: { default_provider_sort: "price", disabled_server_tools: ["openrouter:web_search"] },
    response: {
      data: {
        ...example,
        default_provider_sort: "price",
        disabled_server_tools: ["openrouter:web_search"],
        updated_at: "2026-01-06T08:00:00.000Z"
      }
    }
  }
})

export const deleteWorkspace = operation({
  id: "deleteWorkspace",
  method: "DELETE",
  path: "/workspaces/:id",
  tag: "Workspaces",
  changes: { noun: "workspace", action: "delete" },
  summary: "Delete a workspace",
  description:
    "Deletes everything in it: members, budgets, guardrails, credentials, destinations, presets, files, and keys that are disabled or expired. Refused while the workspace has active API keys. Deleting the default workspace needs `confirm_default_workspace_deletion=true` and deletes its active keys too.",
  access: "managementKey",
  params: workspaceParams,
  query: z.object({
    confirm_default_workspace_deletion: queryFlag.describe("Must be `true` to delete the default workspace.")
  }),
  success: { schema: Deleted },
  errors: [400, 401, 403, 404, 500],
  example: { params: { id: "research" }, response: { deleted: true } }
})
