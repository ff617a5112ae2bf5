import { type ApiKey, mostLiveSecrets } from "@gatewarden/core/internal"
import { type Columns, fromRow, instantOf, nanosOf, timestampOf, usdOf } from "./rows.ts"

export const keyColumns = ({ limit, restrictions, ...key }: ApiKey): Columns => ({
  ...key,
  limit_nanos: nanosOf(limit),
  restrictions: restrictions && JSON.stringify(restrictions)
})

/** A key with columns besides its own. */
export const keyOf = <K extends ApiKey>({ limit_nanos, ...columns }: Columns): K =>
  fromRow<K>({ ...columns, limit: usdOf(limit_nanos) })

/** Field by field, for lists. */
export const apiKeyOf = (columns: Columns): ApiKey => {
  const row = columns as unknown as Omit<ApiKey, "limit">
  return {
    hash: row.hash,
    account_id: row.account_id,
    kind: row.kind,
    workspace_id: row.workspace_id,
    user_id: row.user_id,
    external_user: row.external_user,
    creator_user_id: row.creator_user_id,
    issued_by: row.issued_by,
    name: row.name,
    label: row.label,
    disabled: row.disabled,
    limit: usdOf(columns["limit_nanos"]),
    limit_reset: row.limit_reset,
    include_byok_in_limit: row.include_byok_in_limit,
    restrictions: row.restrictions,
    expires_at: instantOf(columns["expires_at"]),
    revoked_at: instantOf(columns["revoked_at"]),
    created_at: timestampOf(columns["created_at"]),
    updated_at: instantOf(columns["updated_at"])
  }
}

/**
 * How a statement finds a key by the hash of one of its secrets, and which secrets may open it. Rule: access#rotating-keys.
 *
 * The hash of the key with this secret; a hash of no secret is a key's own, if anything.
 */
export const keyOfSecret = (hash: string): string =>
  `coalesce((select s.key_hash from gatewarden_key_secret s where s.secret_hash = ${hash}), ${hash})`

/**
 * The latest secrets of a key, the oldest first, with epoch milliseconds: however often it was rotated, these are all that may open it.
 * `now`: an expression; null stands for the clock of the database.
 */
export const secretsOfKey = (key_hash: string, now: string): string => `coalesce((
  select json_agg(json_build_object('hash', latest.secret_hash, 'ends_at', floor(extract(epoch from latest.ends_at) * 1000),
    'has_ended', coalesce(latest.ends_at <= coalesce(${now}, now()), false)) order by latest.number)
  from (
    select s.secret_hash, s.ends_at, s.number from gatewarden_key_secret s where s.key_hash = ${key_hash}
    order by s.number desc limit ${mostLiveSecrets}
  ) latest
), '[]')`
