/** Guardrails, the default one of a workspace, and assignments. */
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
  text,
  texts,
  type Attribute,
  type Call,
  type ProviderResource
} from "../ProviderResource.ts"
import { getWorkspace } from "./workspaces.ts"

const zdr = ["anthropic", "google", "openai", "other", "xai"].map((group) => `enforce_zdr_${group}`)

const guardrailAttributes: Readonly<Record<string, Attribute>> = {
  id: { ...text, ...computed },
  name: { ...text, ...required },
  workspace_id: { ...text, ...optional, ...replaces },
  description: { ...text, ...optional, ...nullable },
  allowed_data_regions: { ...texts, ...optional, ...nullable },
  allowed_models: { ...texts, ...optional, ...nullable },
  allowed_providers: { ...texts, ...optional, ...nullable },
  ignored_models: { ...texts, ...optional, ...nullable },
  ignored_providers: { ...texts, ...optional, ...nullable },
  content_filter_builtins: { form: "objects", ...optional, ...nullable },
  content_filters: { form: "objects", ...optional, ...nullable },
  enable_free_model_publication: { ...flag, ...optional },
  enable_free_model_training: { ...flag, ...optional },
  enable_paid_model_training: { ...flag, ...optional },
  enforce_zdr: { ...flag, ...optional, ...nullable },
  ...Object.fromEntries(zdr.map((name) => [name, { ...flag, ...optional, ...nullable }])),
  include_byok_in_budgets: { ...flag, ...optional },
  limit_usd: { ...number, ...optional, ...nullable },
  reset_interval: { ...text, ...optional, ...nullable, ...intervals },
  created_at: { ...instant, ...computed },
  updated_at: { ...instant, ...computed, ...nullable }
}

const writtenOfGuardrail = Object.entries(guardrailAttributes).flatMap(([name, { given, replaces: only }]) =>
  given === "computed" || only === true ? [] : [name]
)

const getAssigned: Call = { method: "GET", path: "/guardrails/{guardrail_id}", status: 200, takes: "nothing" }

const resolveDefault: Call = { ...getWorkspace, takes: { id: "default_guardrail_id" } }

export const guardrail: ProviderResource = {
  file: "guardrail_resource.go",
  commit: "d315c057d96144bcac391c8fa009960647a8e206",
  attributes: guardrailAttributes,
  create: [{ method: "POST", path: "/guardrails", status: 201, sends: [...writtenOfGuardrail, "workspace_id"] }],
  read: [{ method: "GET", path: "/guardrails/{id}", status: 200 }],
  update: [{ method: "PATCH", path: "/guardrails/{id}", status: 200, sends: writtenOfGuardrail }],
  destroy: [{ method: "DELETE", path: "/guardrails/{id}", status: 200 }],
  importedBy: ["id"]
}

export const guardrailKeyAssignment: ProviderResource = {
  file: "guardrailkeyassignment_resource.go",
  commit: "4dfb5d540d1117763c1453573f773a5c9cf379e5",
  attributes: {
    guardrail_id: { ...text, ...required, ...replaces },
    key_hash: { ...text, ...required, ...replaces }
  },
  create: [
    {
      method: "POST",
      path: "/guardrails/{guardrail_id}/assignments/keys",
      status: 200,
      sendsInList: { key_hashes: "key_hash" },
      takes: "nothing",
      counts: "assigned_count"
    }
  ],
  read: [
    {
      method: "GET",
      path: "/guardrails/{guardrail_id}/assignments/keys",
      status: 200,
      finds: { guardrail_id: "guardrail_id", key_hash: "key_hash" }
    }
  ],
  update: [],
  destroy: [
    {
      method: "POST",
      path: "/guardrails/{guardrail_id}/assignments/keys/remove",
      status: 200,
      sendsInList: { key_hashes: "key_hash" }
    }
  ],
  importedBy: ["guardrail_id", "key_hash"]
}

export const guardrailMemberAssignment: ProviderResource = {
  file: "guardrailmemberassignment_resource.go",
  commit: "7fd0e341dc9c638333952e8e4159c198b7028d91",
  attributes: {
    workspace_id: { ...text, ...required, ...replaces },
    guardrail_id: { ...text, ...required, ...replaces },
    user_id: { ...text, ...required, ...replaces }
  },
  create: [
    getWorkspace,
    getAssigned,
    {
      method: "POST",
      path: "/guardrails/{guardrail_id}/assignments/members",
      status: 200,
      sendsInList: { member_user_ids: "user_id" },
      takes: "nothing"
    }
  ],
  read: [
    getAssigned,
    {
      method: "GET",
      path: "/guardrails/{guardrail_id}/assignments/members",
      status: 200,
      finds: { guardrail_id: "guardrail_id", user_id: "user_id" }
    }
  ],
  update: [],
  destroy: [
    {
      method: "POST",
      path: "/guardrails/{guardrail_id}/assignments/members/remove",
      status: 200,
      sendsInList: { member_user_ids: "user_id" }
    }
  ],
  importedBy: ["workspace_id", "guardrail_id", "user_id"]
}

export const workspaceDefaultGuardrail: ProviderResource = {
  file: "workspacedefaultguardrail_resource.go",
  commit: "85d8621df1c62fe47dcac6d91602bd7a714ba7b0",
  attributes: {
    ...guardrailAttributes,
    // The server's own; every update sends it again.
    name: { ...text, ...computed },
    workspace_id: { ...text, ...required, ...replaces }
  },
  create: [resolveDefault, { method: "PATCH", path: "/guardrails/{id}", status: 200, sends: writtenOfGuardrail }],
  read: [resolveDefault, { method: "GET", path: "/guardrails/{id}", status: 200, absentIsUnwritten: true }],
  update: [resolveDefault, { method: "PATCH", path: "/guardrails/{id}", status: 200, sends: writtenOfGuardrail }],
  destroy: [],
  importedBy: ["workspace_id"]
}
