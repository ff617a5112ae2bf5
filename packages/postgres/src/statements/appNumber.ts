import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** The number of an account's app by its origin; new ones of an account are numbered one after the other. Runs in a transaction. */
export const appNumber = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, account_id: string, origin: string) {
  const own = sql`account_id = ${account_id}`
  const known = sql<{ id: number }>`
    select id from gatewarden_app where ${own} and callback_origin = ${origin}`
  const [met] = yield* known
  if (met !== undefined) return met.id
  yield* sql`select id from gatewarden_account where id = ${account_id} for no key update`
  const [metMeanwhile] = yield* known
  if (metMeanwhile !== undefined) return metMeanwhile.id
  const [made] = yield* sql<{ id: number }>`
    insert into gatewarden_app (account_id, id, callback_origin)
    select ${account_id}, coalesce(max(id), 0) + 1, ${origin} from gatewarden_app where ${own}
    returning id`
  return made?.id ?? 0
})
