/**
 * Workspaces: containers with defaults and logging settings.
 *
 * Rule: workspaces#new-workspaces, workspaces#reading-a-workspace.
 */
import * as z from "zod"
import { dataOf, Deleted, pathName, queryFlag, text, timestamp, uuid } from "./primitives.ts"
import { json, operation } from "./operation.ts"

export const Workspace = z
  .object({
    id: uuid,
    slug: z.string(),
    name: z.string(),
    description: z.string(),
    created_by: z.string(),
    default_text_model: z.string(),
    default_image_model: z.string(),
    default_provider_sort: z.string(),
    default_guardrail_id: uuid,
    io_logging_api_key_ids: z.array(z.int()).nullable(),
    io_logging_sampling_rate: z.number(),
    is_data_discount_logging_enabled: z.boolean(),
    is_observability_broadcast_enabled: z.boolean(),
    is_observability_io_logging_enabled: z.boolean(),
    created_at: timestamp,
    updated_at: timestamp
  })
  .meta({ id: "Workspace" })
export type Workspace = z.output<typeof Workspace>

export const workspaceSlug = z
  .string()
  .max(50)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "Expected lowercase letters and digits in groups joined by single hyphens")

export const CreateWorkspace = z
  .object({
    name: text(1, 100),
    slug: workspaceSlug,
    description: text(0, 500).nullish(),
    default_text_model: text(0, 256).nullish(),
    default_image_model: text(0, 256).nullish(),
    default_provider_sort: z.enum(["", "price", "throughput", "latency", "exacto"]).nullish(),
    io_logging_api_key_ids: z.array(z.int()).max(1000).nullish(),
    io_logging_sampling_rate: z.number().min(0.0001).max(1).nullish(),
    is_data_discount_logging_enabled: z.boolean().nullish(),
    is_observability_broadcast_enabled: z.boolean().nullish(),
    is_observability_io_logging_enabled: z.boolean().nullish()
  })
  .meta({ id: "CreateWorkspace" })
export type CreateWorkspace = z.output<typeof CreateWorkspace>

const example: Workspace = {
  id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
  slug: "research",
  name: "Research",
  description: "Models under evaluation",
  created_by: "system",
  default_text_model: "",
  default_image_model: "",
  default_provider_sort: "",
  default_guardrail_id: "5d0c2b0e-8a57-5f4e-b7b5-3a1f0c9d2e77",
  io_logging_api_key_ids: null,
  io_logging_sampling_rate: 1,
  is_data_discount_logging_enabled: false,
  is_observability_broadcast_enabled: false,
  is_observability_io_logging_enabled: false,
  created_at: "2026-01-05T09:30:00.000Z",
  updated_at: "2026-01-05T09:30:00.000Z"
}

/** The id is a uuid or a slug. */
export const workspaceParams = z.object({ id: pathName })

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
  params: workspaceParams,
  success: { schema: dataOf(Workspace) },
  errors: [401, 403, 404, 500],
  example: { params: { id: "research" }, response: { data: example } }
})

export const deleteWorkspace = operation({
  id: "deleteWorkspace",
  method: "DELETE",
  path: "/workspaces/:id",
  tag: "Workspaces",
  changes: { noun: "workspace", action: "delete" },
  summary: "Delete a workspace",
  description:
    "Refused while the workspace has active API keys. Deleting the default workspace needs `confirm_default_workspace_deletion=true`.",
  access: "managementKey",
  params: workspaceParams,
  query: z.object({ confirm_default_workspace_deletion: queryFlag }),
  success: { schema: Deleted },
  errors: [400, 401, 403, 404, 500],
  example: { params: { id: "research" }, response: { deleted: true } }
})
