import { type ContentFacts, type FileFacts, Files } from "@gatewarden/core/store"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { type Columns, timestampOf } from "../statements/rows.ts"
import { reading, retrying, unlessMissing, writing } from "../statements/statements.ts"
import { lockAccount } from "./PrivateProviders.ts"
import { noWorkspace } from "../statements/keptCount.ts"

const factsOf = (columns: Columns): FileFacts => {
  const row = columns as unknown as FileFacts
  return {
    id: row.id,
    filename: row.filename,
    mime_type: row.mime_type,
    // A `bigint` of the database.
    size_bytes: Number(row.size_bytes),
    created_at: timestampOf(columns["created_at"])
  }
}

export const files = Effect.map(SqlClient.SqlClient, (sql) => {
  const isNotEmpty = (rows: readonly unknown[]) => rows.length > 0

  const publish = Effect.fnUntraced(function* (
    account_id: string,
    id: string,
    { mime_type, size_bytes }: ContentFacts,
    most_bytes: number
  ) {
    // Whoever comes second waits here, and counts what the first has added.
    yield* lockAccount(sql, account_id)
    const isArriving = yield* sql`
      select id from gatewarden_file where id = ${id} and account_id = ${account_id} and state = 'arriving'`
    if (!isNotEmpty(isArriving)) return "missing" as const
    const [kept] = yield* sql`
      select coalesce(sum(bytes), 0) as bytes from gatewarden_stored_amount
      where account_id = ${account_id} and kind = 'file' and workspace_id = ${noWorkspace}`
    if (Number(kept?.["bytes"]) + size_bytes > most_bytes) return "full" as const
    const rows = yield* sql`
      ${acts.update} gatewarden_file set state = 'stored', mime_type = ${mime_type}, size_bytes = ${size_bytes}
      where id = ${id} and account_id = ${account_id} and state = 'arriving' returning id`
    return isNotEmpty(rows) ? ("published" as const) : ("missing" as const)
  })

  return Files.of({
    reserve: (account_id, workspace_id, file) => {
      const unknown = { mime_type: "", size_bytes: 0 }
      const row = { ...file, ...unknown, account_id, workspace_id, state: "arriving", changed_at: file.created_at }
      return writing(unlessMissing(Effect.as(sql`${acts.insert} into gatewarden_file ${sql.insert(row)}`, true), false))
    },
    publish: (account_id, id, facts, most_bytes) =>
      publish(account_id, id, facts, most_bytes).pipe(sql.withTransaction, retrying, writing),
    find: (account_id, workspace_id, id) =>
      reading(
        Effect.map(
          sql`
            select id, filename, mime_type, size_bytes, created_at from gatewarden_file
            where id = ${id} and account_id = ${account_id} and workspace_id = ${workspace_id} and state = 'stored'`,
          (rows) => Option.map(Option.fromUndefinedOr(rows[0]), factsOf)
        )
      ),
    list: (account_id, workspace_id, { after, limit }) =>
      reading(
        Effect.map(
          sql`
            select id, filename, mime_type, size_bytes, created_at from gatewarden_file
            where workspace_id = ${workspace_id} and account_id = ${account_id} and state = 'stored'
              ${after === undefined ? sql`` : sql`and (created_at, id) > (${after.created_at}::timestamptz, ${after.id})`}
            order by created_at, id limit ${limit}`,
          (rows) => rows.map(factsOf)
        )
      ),
    withdraw: (account_id, workspace_id, id, now) =>
      writing(
        Effect.map(
          sql`
            ${acts.update} gatewarden_file set
              state = 'leaving', changed_at = case when state = 'stored' then ${now}::timestamptz else changed_at end
            where id = ${id} and account_id = ${account_id} and workspace_id = ${workspace_id} and state <> 'arriving'
            returning id`,
          isNotEmpty
        )
      ),
    forget: (id) =>
      writing(
        Effect.map(
          sql`
            ${acts.delete} from gatewarden_file where id = ${id} and (state <> 'stored' or workspace_id is null) returning id`,
          isNotEmpty
        )
      ),
    takeStale: (before, now, limit) =>
      writing(
        Effect.map(
          sql<{ id: string }>`
            ${acts.with} taken as (
              select id from gatewarden_file
              where workspace_id is null or (state <> 'stored' and changed_at < ${before})
              order by changed_at limit ${limit} for update skip locked
            )
            update gatewarden_file f set changed_at = ${now} from taken where f.id = taken.id returning f.id`,
          (rows) => rows.map(({ id }) => id)
        )
      )
  })
})
