import { type Account, Accounts } from "@gatewarden/core/store"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { acts, type Write } from "../statements/acting.ts"
import { fixedStatements } from "../statements/FixedStatements.ts"
import { arrayLiteral } from "../statements/literals.ts"
import { fromRow, inJson } from "../statements/rows.ts"
import { reading, retrying, whenTaken, writing } from "../statements/statements.ts"
import { keyColumns } from "../statements/keyRows.ts"

export const accounts = Effect.map(Effect.all([SqlClient.SqlClient, fixedStatements]), ([sql, { write }]) =>
  Accounts.of({
    findByName: (name) =>
      reading(
        Effect.map(
          sql`
            select a.id, a.name, a.created_at, a.suspended_at, w.id as default_workspace_id
            from gatewarden_account a
            left join gatewarden_workspace w on w.id = a.default_workspace_id
            where a.name = ${name}`,
          (rows) =>
            Option.map(
              Option.fromUndefinedOr(rows[0]),
              fromRow<Account & { readonly default_workspace_id: string | null }>
            )
        )
      ),
    defaultWorkspaces: (ids) =>
      reading(
        Effect.map(
          sql<{ id: string; workspace_id: string | null }>`
            select a.id, w.id as workspace_id
            from gatewarden_account a left join gatewarden_workspace w on w.id = a.default_workspace_id
            where a.id = any(${arrayLiteral(ids)}::uuid[])`,
          (rows) => new Map(rows.map(({ id, workspace_id }) => [id, workspace_id]))
        )
      ),
    setSuspended: (name, suspended_at) =>
      writing(
        Effect.map(
          sql`
            ${acts.update} gatewarden_account
            set suspended_at = case when ${suspended_at}::timestamptz is null then null else coalesce(suspended_at, ${suspended_at}::timestamptz) end
            where name = ${name} returning id, name, created_at, suspended_at`.pipe(retrying),
          (rows) => Option.map(Option.fromUndefinedOr(rows[0]), fromRow<Account>)
        )
      ),
    list: reading(
      Effect.map(
        sql`select id, name, created_at, suspended_at from gatewarden_account order by created_at, id`,
        (rows) => rows.map((row) => fromRow<Account>(row))
      )
    ),
    create: (account, workspace, key) =>
      writing(
        whenTaken(
          Effect.as(
            write(makeWhole, [
              inJson({ ...account, default_workspace_id: workspace.id }),
              inJson({ ...workspace, account_id: account.id }),
              inJson(key === undefined ? [] : [keyColumns(key)])
            ]),
            true
          ),
          false
        )
      )
  })
)

/**
 * An account with its workspace and, if there is one, its key, in one statement. Each part reads the one before, so that the rows
 * and their changes are written in this order.
 */
const makeWhole: Write = {
  word: "with",
  rest: ` account as (
    insert into gatewarden_account select * from json_populate_record(null::gatewarden_account, $1::json) returning id
  ), workspace as (
    insert into gatewarden_workspace
    select made.* from json_populate_record(null::gatewarden_workspace, $2::json) made cross join account
    returning id
  )
  insert into gatewarden_api_key
  select made.* from json_populate_recordset(null::gatewarden_api_key, $3::json) made cross join workspace`
}
