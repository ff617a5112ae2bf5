/** The tables that hold configuration, and how a row of each is named in the stream of changes. */
import type { Noun } from "@gatewarden/contract"

interface RecordedTable {
  /** Without the prefix. */
  readonly table: string
  readonly noun: Noun
  /** The column of its id, its account and its workspace. */
  readonly id: string
  readonly account?: string
  readonly workspace?: string
  /** Columns that hold secrets: that one was replaced is recorded, not by what. */
  readonly hidden?: readonly string[]
  /** A row is put on something, rather than made. */
  readonly isAssignment?: true
  /** Values of other tables that belong to it, each an expression of `row`. */
  readonly more?: Readonly<Record<string, string>>
}

export const recordedTables: readonly RecordedTable[] = [
  { table: "account", noun: "account", id: "id", account: "id" },
  { table: "organization_settings", noun: "organization_settings", id: "account_id" },
  { table: "workspace", noun: "workspace", id: "id", workspace: "id" },
  { table: "workspace_member", noun: "workspace_member", id: "user_id", workspace: "workspace_id" },
  { table: "workspace_budget", noun: "workspace_budget", id: "interval", workspace: "workspace_id" },
  { table: "api_key", noun: "key", id: "hash", workspace: "workspace_id" },
  { table: "key_rate_limit", noun: "key_rate_limits", id: "key_hash" },
  {
    table: "credit_grant",
    noun: "credit_grant",
    id: "id",
    // Decimal strings: nano-dollars may be more than a number of JavaScript holds.
    more: {
      amount_usd: "trim_scale(row.amount_nanos * 0.000000001)::text",
      total_usd: "trim_scale(row.total_nanos * 0.000000001)::text"
    }
  },
  {
    table: "alert_channel",
    noun: "alert_channel",
    id: "id",
    workspace: "workspace_id",
    hidden: ["sealed_config"]
  },
  { table: "guardrail", noun: "guardrail", id: "id", workspace: "workspace_id" },
  { table: "guardrail_key", noun: "key_assignment", id: "key_hash", isAssignment: true },
  { table: "guardrail_member", noun: "member_assignment", id: "user_id", isAssignment: true },
  { table: "byok_credential", noun: "byok_credential", id: "id", workspace: "workspace_id", hidden: ["sealed_key"] },
  { table: "destination", noun: "destination", id: "id", workspace: "workspace_id", hidden: ["sealed_config"] },
  { table: "federation_policy", noun: "federation_policy", id: "id", workspace: "workspace_id" },
  // What the directory tells of a person is in its row alone, and goes with it.
  { table: "directory_user", noun: "directory_user", id: "id", hidden: ["attributes"] },
  { table: "directory_sync", noun: "directory_sync", id: "id" },
  // Who it is for is in the request, which ends with it.
  { table: "erasure", noun: "erasure", id: "id", hidden: ["sealed_request", "request_digest"] },
  { table: "directory_group", noun: "directory_group", id: "id" },
  { table: "group_mapping", noun: "group_mapping", id: "id", workspace: "workspace_id" },
  { table: "external_user", noun: "external_user", id: "id" },
  { table: "private_provider", noun: "private_provider", id: "slug" },
  { table: "private_endpoint", noun: "private_endpoint", id: "id" },
  {
    table: "preset",
    noun: "preset",
    id: "slug",
    workspace: "workspace_id",
    // The body is in the table of versions, which keeps them all.
    more: { version: "(select version from gatewarden_preset_version where id = row.designated_version_id)" }
  },
  {
    table: "authorization_code",
    noun: "authorization_code",
    id: "code_hash",
    workspace: "workspace_id",
    hidden: ["challenge_hash"]
  }
]
