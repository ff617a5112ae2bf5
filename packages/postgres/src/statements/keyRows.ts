import { type ApiKey, keyFields, mostLiveSecrets } from "@gatewarden/core/internal"
import { type Columns, fromRow, nanosOf, usdOf, valueOf } from "./rows.ts"

export const keyColumns = ({ limit, restrictions, ...key }: ApiKey): Columns => ({
  ...key,
  limit_nanos: nanosOf(limit),
  restrictions: restrictions && JSON.stringify(restrictions)
})

/** A key with columns besides its own. */
export const keyOf = <K extends ApiKey>({ limit_nanos, ...columns }: Columns): K =>
  fromRow<K>({ ...columns, limit: usdOf(limit_nanos) })

/** A key alone, also from a row that has columns besides its own. */
export const apiKeyOf = (columns: Columns): ApiKey => {
  const key: Record<string, unknown> = {}
  for (const field of keyFields)
    key[field] = field === "limit" ? usdOf(columns["limit_nanos"]) : valueOf(columns[field])
  return key as unknown as ApiKey
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
