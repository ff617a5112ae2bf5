import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { acts } from "./acting.ts"
import { reading, retrying, writing } from "./statements.ts"

/** Rows of one statement: it takes less than a tenth of a second, in which it has its locks, and the only connection of an embedded store. */
const mostRows = 1_000

/**
 * Deletes rows of which there may be a million, in as many transactions as that takes, until a thousand are left to the caller's own statement:
 * what has few is deleted at once or not at all. Each change is recorded: one transaction with very many would keep the audit log from being
 * sealed.
 */
export const deleteInParts = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  table: string,
  where: Statement.Fragment
) {
  const more = reading(sql`select 1 as one from ${sql(table)} where ${where} offset ${mostRows} limit 1`)
  const part = writing(
    retrying(sql`
      ${acts.delete} from ${sql(table)} where ctid = any (array(
        select ctid from ${sql(table)} where ${where} limit ${mostRows} for update
      ))`)
  )
  while ((yield* more).length > 0) yield* part
})
