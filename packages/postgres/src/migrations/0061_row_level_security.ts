/** Policies that hold statements of an account to its rows. They do nothing before row-level security is switched on. */
import { tenantPolicy, tenantPolicyBy, tenantPolicyThrough } from "./tenantPolicy.ts"

const tables = [
  "api_key",
  "app",
  "authorization_code",
  "budget_list",
  "budget_warning",
  "budget_window",
  "byok_credential",
  "credit_grant",
  "dead_letter",
  "deleted_key",
  "delivery",
  "delivery_attempt",
  "delivery_state",
  "destination",
  "directory_group",
  "directory_sync",
  "directory_user",
  "federation_policy",
  "file",
  "generation_content",
  "generation_feedback",
  "group_mapping",
  "guardrail",
  "guardrail_key",
  "guardrail_member",
  "hold",
  "idempotency_record",
  "key_admission",
  "key_rate_limit",
  "key_secret",
  "own_model",
  "preset",
  "spending",
  "spent",
  "stored_amount",
  "token_exchange",
  "usage_classifier",
  "usage_event",
  "usage_staging",
  "workspace",
  "workspace_budget",
  "workspace_member"
]

/** Changes of the catalog are of no account, and public. */
const changes = `account_id is null or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid)`

export const rowLevelSecurity = {
  id: 61,
  name: "row_level_security",
  sql: [
    ...tables.map((table) => tenantPolicy(`gatewarden_${table}`)),
    tenantPolicyBy("gatewarden_account", "id"),
    tenantPolicyBy("gatewarden_audit_chain", "owner"),
    tenantPolicyBy("gatewarden_audit_seal", "owner"),
    tenantPolicy("gatewarden_changes", `(${changes})`),
    tenantPolicyThrough("gatewarden_directory_group_member", "group_id", "gatewarden_directory_group")
  ].join("\n")
} as const
