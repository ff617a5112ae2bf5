/**
 * Which fields of an entity the audit log shows: those that the API shows of it. A field that is not listed is never shown, so a secret
 * cannot appear by being added to a table.
 *
 * Rule: audit#recorded-changes.
 */
import {
  ByokCredential,
  CreditGrant,
  FederationPolicy,
  Guardrail,
  type Noun,
  OrganizationSettings,
  Preset,
  PrivateEndpoint,
  PrivateProvider,
  Workspace
} from "@gatewarden/contract/internal"
import type { Facts } from "../ports/auditLog.ts"
import { keyFields } from "../ports/keys.ts"

const fieldsOf: Readonly<Record<Noun, readonly string[]>> = {
  account: ["id", "name", "created_at", "suspended_at"],
  alert_channel: [
    "id",
    "workspace_id",
    "name",
    "type",
    "config",
    "events",
    "quiet_time_seconds",
    "enabled",
    "created_at",
    "updated_at"
  ],
  authorization_code: [
    "workspace_id",
    "callback_url",
    "code_challenge_method",
    "key_name",
    "limit",
    "limit_reset",
    "key_expires_at",
    "user_id",
    "created_at",
    "expires_at",
    "spent_at",
    "key_hash"
  ],
  byok_credential: Object.keys(ByokCredential.shape),
  catalog: ["models"],
  destination: [
    "id",
    "workspace_id",
    "type",
    "name",
    "enabled",
    "privacy_mode",
    "sampling_rate",
    "api_key_hashes",
    "filter_rules",
    "broadcast_generation_cost",
    "broadcast_generation_identity",
    "broadcast_generation_request_context",
    "regions",
    "config",
    "replays",
    "created_at",
    "updated_at"
  ],
  credit_grant: Object.keys(CreditGrant.shape),
  external_user: ["external_user", "is_active", "created_at", "updated_at"],
  federation_policy: Object.keys(FederationPolicy.shape),
  directory_group: ["id", "display_name", "external_id", "member_count", "created_at", "updated_at"],
  directory_sync: ["id", "status", "created_at"],
  directory_user: ["id", "user_id", "user_name", "external_id", "active", "created_at", "updated_at"],
  erasure: ["id", "kind", "pseudonym", "status", "erased", "created_at", "finished_at"],
  file: ["id", "filename", "mime_type", "size_bytes", "created_at"],
  group_mapping: ["id", "group_id", "workspace_id", "role", "created_at", "updated_at"],
  guardrail: Object.keys(Guardrail.shape),
  key: keyFields.filter((name) => name !== "account_id"),
  key_assignment: ["id", "guardrail_id", "key_hash", "assigned_by", "created_at"],
  key_rate_limits: ["requests_per_minute", "tokens_per_minute", "parallel_requests"],
  member_assignment: ["id", "guardrail_id", "user_id", "assigned_by", "created_at"],
  organization_settings: Object.keys(OrganizationSettings.shape).filter((name) => name !== "id"),
  preset: [...Object.keys(Preset.shape).filter((name) => name !== "designated_version"), "version"],
  private_endpoint: [
    ...Object.keys(PrivateEndpoint.shape).filter((name) => !/^model_(?:slug|name)$/.test(name)),
    "created_at"
  ],
  private_provider: Object.keys(PrivateProvider.shape),
  workspace: Object.keys(Workspace.shape),
  workspace_budget: ["id", "workspace_id", "interval", "limit_usd", "include_byok", "created_at", "updated_at"],
  workspace_member: ["id", "workspace_id", "user_id", "role", "created_at", "by_directory"]
}

const known = new Map(Object.entries(fieldsOf).map(([noun, names]) => [noun, new Set(names)]))

/** The public fields, by name. */
export const auditedFacts = (noun: Noun, row: Facts): Facts => {
  const names = known.get(noun)
  return Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => names?.has(name))
      .sort(([a], [b]) => (a < b ? -1 : 1))
  )
}
