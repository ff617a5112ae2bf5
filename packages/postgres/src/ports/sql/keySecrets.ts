/** How a statement finds a key by the hash of one of its secrets, and which secrets may open it. Rule: access#rotating-keys. */
import { mostLiveSecrets } from "@gatewarden/core/store"

/** The hash of the key with this secret; a hash of no secret is a key's own, if anything. */
export const keyOfSecret = (hash: string): string =>
  `coalesce((select s.key_hash from gatewarden_key_secret s where s.secret_hash = ${hash}), ${hash})`

/** The latest secrets of a key, the oldest first, with epoch milliseconds: however often it was rotated, these are all that may open it. */
export const secretsOfKey = (key_hash: string): string => `coalesce((
  select json_agg(json_build_object('hash', latest.secret_hash, 'ends_at', floor(extract(epoch from latest.ends_at) * 1000)) order by latest.number)
  from (
    select s.secret_hash, s.ends_at, s.number from gatewarden_key_secret s where s.key_hash = ${key_hash}
    order by s.number desc limit ${mostLiveSecrets}
  ) latest
), '[]')`
