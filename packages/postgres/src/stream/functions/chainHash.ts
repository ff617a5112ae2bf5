/** The hash of a change: over the hash before, the number, the seal, and the change itself. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"

/**
 * Column by column, so that a column that is added breaks no chain. `position` is an expression; `seal` and `change` are aliases of rows,
 * of the one that has the actor and the one that was recorded.
 */
export const hashSql = (
  previous: string,
  position: string,
  seal: string,
  change: string
): string => `gatewarden_chain_hash(
  ${previous}, json_build_array(
    ${position}, ${change}.seq, ${change}.account_id, ${change}.noun, ${change}.action, ${change}.id, ${change}.workspace_id,
    ${seal}.actor_type, ${seal}.actor_id, ${seal}.operation, ${seal}.request_id, ${change}.acting,
    ${change}.before::text, ${change}.after::text,
    (extract(epoch from ${seal}.at) * 1000000)::bigint, (extract(epoch from ${change}.created_at) * 1000000)::bigint
  ))`

export const chainHash: SqlFunction = {
  name: "gatewarden_chain_hash",
  sql: `
create or replace function gatewarden_chain_hash(previous text, change json) returns text language sql immutable as $body$
  select encode(sha256(convert_to(previous || ' ' || change::text, 'UTF8')), 'hex')
$body$
`
}
