/**
 * Holds the user of a key while a statement gives the key to the user: a directory that deactivates the user at the same time either
 * waits, and then disables the key, or came first, and no key is given.
 *
 * A share lock, because the row itself decides: whoever waits for it reads it as it was committed. Rule: scim#deprovisioning.
 */
import type { SqlClient } from "effect/sql"

/** One row, which says by `active` whether the user may act, or none where no directory knows the user. */
export const holdOwner = (sql: SqlClient.SqlClient, account_id: string, user_id: string | null) =>
  sql`select active from gatewarden_directory_user where account_id = ${account_id} and user_id = ${user_id}::text for share`
