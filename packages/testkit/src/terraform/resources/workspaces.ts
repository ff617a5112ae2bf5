/** Workspaces, their budgets and their members. */
import {
  computed,
  flag,
  instant,
  intervals,
  nullable,
  number,
  optional,
  replaces,
  required,
  roles,
  text,
  type Call,
  type ProviderResource
} from "../ProviderResource.ts"

/** Whether the workspace is there, which nothing is taken from. */
export const getWorkspace: Call = { method: "GET", path: "/workspaces/{workspace_id}", status: 200, takes: "nothing" }

const writtenOfWorkspace = [
  "name",
  "slug",
  "description",
  "default_text_model",
  "default_image_model",
  "default_provider_sort",
  "io_logging_api_key_ids",
  "io_logging_sampling_rate",
  "is_data_discount_logging_enabled",
  "is_observability_broadcast_enabled",
  "is_observability_io_logging_enabled"
]

const budgetPath = "/workspaces/{workspace_ref}/budgets/{interval}"
const putBudget: Call = {
  method: "PUT",
  path: budgetPath,
  status: 200,
  sends: ["limit_usd", "include_byok_in_budgets"]
}

export const workspace: ProviderResource = {
  file: "workspace_resource.go",
  commit: "028932c8e1b455868edd8059cf1d7832a79c42a6",
  attributes: {
    id: { ...text, ...computed },
    name: { ...text, ...required },
    slug: { ...text, ...required },
    description: { ...text, ...optional, ...nullable },
    default_text_model: { ...text, ...optional, ...nullable },
    default_image_model: { ...text, ...optional, ...nullable },
    default_provider_sort: { ...text, ...optional, ...nullable },
    default_guardrail_id: { ...text, ...computed },
    include_byok_in_budgets: { ...flag, ...computed, ...nullable },
    io_logging_api_key_ids: { form: "numbers", ...optional, ...nullable },
    io_logging_sampling_rate: { ...number, ...optional },
    is_data_discount_logging_enabled: { ...flag, ...optional },
    is_observability_broadcast_enabled: { ...flag, ...optional },
    is_observability_io_logging_enabled: { ...flag, ...optional },
    confirm_default_workspace_deletion: { ...text, ...optional, unread: true },
    created_by: { ...text, ...computed, ...nullable },
    created_at: { ...instant, ...computed },
    updated_at: { ...instant, ...computed, ...nullable }
  },
  create: [{ method: "POST", path: "/workspaces", status: 201, sends: writtenOfWorkspace }],
  read: [{ method: "GET", path: "/workspaces/{id}", status: 200 }],
  update: [{ method: "PATCH", path: "/workspaces/{id}", status: 200, sends: writtenOfWorkspace }],
  destroy: [
    {
      method: "DELETE",
      path: "/workspaces/{id}",
      status: 200,
      query: { confirm_default_workspace_deletion: "confirm_default_workspace_deletion" }
    }
  ],
  importedBy: ["id"]
}

export const workspaceBudget: ProviderResource = {
  file: "workspacebudget_resource.go",
  commit: "2377ec5230bcca9fba92ad5ff633e2fb449daf51",
  attributes: {
    id: { ...text, ...computed },
    workspace_ref: { ...text, ...required, unread: true },
    interval: { ...text, ...required, unread: true },
    limit_usd: { ...number, ...required },
    include_byok_in_budgets: { ...flag, ...optional, ...nullable, beside: true },
    reset_interval: { ...text, ...computed, ...nullable, ...intervals },
    workspace_id: { ...text, ...computed },
    created_at: { ...instant, ...computed },
    updated_at: { ...instant, ...computed }
  },
  create: [putBudget],
  read: [{ method: "GET", path: budgetPath, status: 200 }],
  update: [putBudget],
  destroy: [{ method: "DELETE", path: budgetPath, status: 200 }],
  importedBy: ["workspace_ref", "interval"]
}

export const workspaceMember: ProviderResource = {
  file: "workspacemember_resource.go",
  commit: "42eb3bbce3f50e979c4a89f3f7a0da1007c00474",
  attributes: {
    workspace_id: { ...text, ...required, ...replaces },
    user_id: { ...text, ...required, ...replaces },
    role: { ...text, ...computed, ...roles },
    created_at: { ...instant, ...computed }
  },
  create: [
    getWorkspace,
    {
      method: "POST",
      path: "/workspaces/{workspace_id}/members/add",
      status: 200,
      sendsInList: { user_ids: "user_id" },
      finds: { user_id: "user_id" }
    }
  ],
  read: [{ method: "GET", path: "/workspaces/{workspace_id}/members", status: 200, finds: { user_id: "user_id" } }],
  update: [],
  destroy: [
    {
      method: "POST",
      path: "/workspaces/{workspace_id}/members/remove",
      status: 200,
      sendsInList: { user_ids: "user_id" }
    }
  ],
  importedBy: ["workspace_id", "user_id"]
}
