import { type Account, Accounts } from "@gatewarden/core/store"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { arrayLiteral } from "../engine/arrayLiteral.ts"
import { keyColumns } from "./ApiKeys.ts"
import { fromRow } from "./rows.ts"
import { reading, retrying, whenTaken, writing } from "../engine/statements.ts"

export const accounts = Effect.map(SqlClient.SqlClient, (sql) =>
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
            update gatewarden_account
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
      Effect.gen(function* () {
        yield* sql`insert into gatewarden_account ${sql.insert({ ...account, default_workspace_id: workspace.id })}`
        yield* sql`insert into gatewarden_workspace ${sql.insert({ ...workspace, account_id: account.id })}`
        if (key !== undefined) yield* sql`insert into gatewarden_api_key ${sql.insert(keyColumns(key))}`
        return true
      }).pipe(sql.withTransaction, (statement) => whenTaken(statement, false), writing)
  })
)
