import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { arrayLiteral } from "./literals.ts"

/**
 * Within a transaction: holds a workspace until its end, so that what is numbered or counted in it is so one at a time.
 * False when the workspace does not exist. The statements that number or count must follow: each sees what was committed
 * before it began. Rows that refer to the workspace can be written by others meanwhile.
 */
export const lockWorkspace = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  account_id: string,
  workspace_id: string
) {
  const held = yield* sql`
    select id from gatewarden_workspace where id = ${workspace_id} and account_id = ${account_id} for no key update`
  return held.length > 0
})

/**
 * Holds the user of a key while a transaction gives the key to the user: a directory that deactivates the user at the same time either
 * waits, and then disables the key, or came first, and no key is given. One row: `is_inactive`. Rule: scim#deprovisioning.
 */
export const lockKeyOwner = (sql: SqlClient.SqlClient, account_id: string, user_id: string | null) =>
  sql`select gatewarden_lock_owner(${account_id}::uuid, ${user_id}::text) as is_inactive`

/** The other side of `lockKeyOwner`: waits for transactions that give keys to these users. */
export const lockLeavingUsers = (sql: SqlClient.SqlClient, account_id: string, user_ids: readonly string[]) =>
  sql`
    select pg_advisory_xact_lock(hashtextextended('gatewarden/owner/' || ${account_id}::uuid || '/' || user_id, 0))
    from unnest(${arrayLiteral(user_ids)}::text[]) as leaving (user_id)`
