import { ExternalUsers, type StoredExternalUser } from "@gatewarden/core/store"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { readPage } from "../statements/readPage.ts"
import { type Columns, fromRow } from "../statements/rows.ts"
import { reading, whenTaken, writing } from "../statements/statements.ts"

const rowOf = ({ account_id: _, ...columns }: Columns): StoredExternalUser => fromRow<StoredExternalUser>(columns)

const first = ([row]: readonly Columns[]) => Option.map(Option.fromUndefinedOr(row), rowOf)

export const externalUsers = Effect.map(SqlClient.SqlClient, (sql) => {
  const own = (account_id: string, external_user: string) =>
    sql`account_id = ${account_id} and external_user = ${external_user}`
  return ExternalUsers.of({
    insert: (account_id, row) =>
      writing(
        whenTaken(
          Effect.as(sql`${acts.insert} into gatewarden_external_user ${sql.insert({ ...row, account_id })}`, true),
          false
        )
      ),
    find: (account_id, external_user) =>
      reading(
        Effect.map(sql<Columns>`select * from gatewarden_external_user where ${own(account_id, external_user)}`, first)
      ),
    list: (account_id, { external_user, include_inactive }, page) => {
      const active = include_inactive ? sql`` : sql` and is_active`
      // A name has at most one row, and no count is kept of it.
      if (external_user !== undefined)
        return reading(
          Effect.map(
            sql<Columns>`select * from gatewarden_external_user where ${own(account_id, external_user)}${active}`,
            (rows) => ({
              data: rows.slice(page.offset, page.offset + page.limit).map(rowOf),
              total_count: rows.length
            })
          )
        )
      return reading(
        readPage(
          sql,
          {
            table: "gatewarden_external_user",
            id: "id",
            where: sql`account_id = ${account_id}${active}`,
            kept: {
              account_id,
              kind: include_inactive ? "external_user" : "active_external_user",
              owner: undefined
            }
          },
          page,
          ({ total_count: _, ...columns }) => rowOf(columns)
        )
      )
    },
    update: (account_id, external_user, is_active, now) =>
      writing(
        Effect.map(
          sql<Columns>`
            ${acts.update} gatewarden_external_user set is_active = ${is_active},
              updated_at = case when is_active = ${is_active} then updated_at else ${now}::timestamptz end
            where ${own(account_id, external_user)} returning *`,
          first
        )
      )
  })
})
