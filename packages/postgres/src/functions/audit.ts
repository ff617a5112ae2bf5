/**
 * The hash of a change: over the hash before, the position, and a digest of the seal and of the change itself.
 *
 * The digest is apart, so that those of many changes are made in one pass, and only their links one after the other.
 *
 * Column by column, so that a column that is added breaks no chain. `seal` and `change` are aliases of rows, of the one that has the actor and
 * the one that was recorded. Rows of two or three kilobytes follow with their lengths, as writing them as strings of JSON costs more than
 * to hash them.
 */
export const digestSql = (seal: string, change: string): string => `encode(sha256(convert_to(json_build_array(
    ${change}.seq, ${change}.account_id, ${change}.noun, ${change}.action, ${change}.id, ${change}.workspace_id,
    ${seal}.actor_type, ${seal}.actor_id, ${seal}.operation, ${seal}.request_id, ${change}.acting,
    (extract(epoch from ${seal}.at) * 1000000)::bigint, extract(epoch from ${change}.created_at),
    octet_length(${change}.before::text), octet_length(${change}.after::text)
  )::text || coalesce(${change}.before::text, '') || coalesce(${change}.after::text, ''), 'UTF8')), 'hex')`

/** `position` and `digest` are those of the change, `previous` is the hash of the one before. */
export const linkSql = (previous: string, position: string, digest: string): string =>
  `encode(sha256(convert_to(${previous} || ' ' || ${position} || ' ' || ${digest}, 'UTF8')), 'hex')`

/** The account whose audit log has a change; what belongs to no account is the operator's. `change` is the alias of the row. */
export const ownerSql = (change: string): string =>
  `coalesce(${change}.account_id, (select id from gatewarden_account where name = 'default'), '00000000-0000-0000-0000-000000000000')`
