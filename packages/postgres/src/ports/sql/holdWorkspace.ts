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
