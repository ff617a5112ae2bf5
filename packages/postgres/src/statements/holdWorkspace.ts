import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * Within a transaction: holds a workspace until its end, so that what is numbered or counted in it is so one at a time.
 * False when the workspace does not exist. The statements that number or count must follow: each sees what was committed
 * before it began. Rows that refer to the workspace can be written by others meanwhile.
 */
export const holdWorkspace = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  account_id: string,
  workspace_id: string
) {
  const held = yield* sql`
    select id from gatewarden_workspace where id = ${workspace_id} and account_id = ${account_id} for no key update`
  return held.length > 0
})

/**
 * Holds the user of a key while a statement gives the key to the user: a directory that deactivates the user at the same time either
 * waits, and then disables the key, or came first, and no key is given.
 *
 * A share lock, because the row itself decides: whoever waits for it reads it as it was committed. Rule: scim#deprovisioning.
 *
 * One row, which says by `active` whether the user may act, or none where no directory knows the user.
 */
export const holdOwner = (sql: SqlClient.SqlClient, account_id: string, user_id: string | null) =>
  sql`select active from gatewarden_directory_user where account_id = ${account_id} and user_id = ${user_id}::text for share`
