import type { SqlClient, Statement } from "effect/sql"

/** Where what an account keeps in all is counted. */
export const noWorkspace = "00000000-0000-0000-0000-000000000000"

/**
 * What triggers count for each list (`migrations/baseline/counts.sql`). Assignments are counted for their guardrail, everything else for its
 * workspace, and all of them for the account.
 */
export type ListedKind =
  | "key"
  | "enabled_key"
  | "guardrail"
  | "credential"
  | `credential ${string}`
  | "member"
  | "destination"
  | "alert_channel"
  | "alert"
  | "external_user"
  | "active_external_user"
  | "federation_policy"
  | "preset"
  | "warning"
  | "workspace"
  | "key_assignment"
  | "member_assignment"
  | "directory_user"
  | "directory_group"
  | "group_mapping"
  | "erasure"
  | "user"

/** Which kept count a list has in all: rows of a kind of one workspace or guardrail, or of the whole account where `owner` is undefined. */
export interface KeptCount {
  readonly account_id: string
  readonly kind: ListedKind
  readonly owner: string | undefined
}

/** A query with one row, `total_count`: as exact as a count of the rows in the same snapshot, at the cost of a few rows of an index. */
export const keptCount = (
  sql: SqlClient.SqlClient,
  { account_id, kind, owner = noWorkspace }: KeptCount
): Statement.Fragment => sql`
  select coalesce(sum(rows), 0)::bigint as total_count from gatewarden_stored_amount
  where account_id = ${account_id}::uuid and kind = ${kind} and workspace_id = ${owner}::uuid`
