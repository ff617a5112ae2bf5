import type { Workspace } from "@gatewarden/contract"
import { Workspaces } from "@gatewarden/core/store"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { arrayLiteral } from "../engine/arrayLiteral.ts"
import { fromRow } from "./sql/rows.ts"
import { reading, retrying, unlessMissing, whenTaken, writing } from "../engine/statements.ts"

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const columnsOf = (account_id: string, workspace: Workspace) => ({
  ...workspace,
  // The driver takes no array that mixes small and large numbers.
  io_logging_api_key_ids: workspace.io_logging_api_key_ids && arrayLiteral(workspace.io_logging_api_key_ids),
  account_id
})

export const workspaces = Effect.map(SqlClient.SqlClient, (sql) =>
  Workspaces.of({
    find: (account_id, idOrSlug) =>
      reading(
        Effect.map(
          // A slug may look like an id; the id wins.
          uuidPattern.test(idOrSlug)
            ? sql`
              select * from gatewarden_workspace
              where account_id = ${account_id} and (id = ${idOrSlug} or slug = ${idOrSlug})
              order by id = ${idOrSlug} desc limit 1`
            : sql`select * from gatewarden_workspace where account_id = ${account_id} and slug = ${idOrSlug}`,
          (rows) => Option.map(Option.fromUndefinedOr(rows[0]), ({ account_id: _, ...row }) => fromRow<Workspace>(row))
        )
      ),
    insert: (account_id, workspace) =>
      writing(
        whenTaken(
          Effect.as(sql`insert into gatewarden_workspace ${sql.insert(columnsOf(account_id, workspace))}`, true),
          false
        )
      ),
    remove: (account_id, workspace_id, { force }) =>
      Effect.gen(function* () {
        const own = sql`account_id = ${account_id} and workspace_id = ${workspace_id}`
        if (force) {
          // Locked first, so that a key that is being made in it is waited for and deleted too.
          yield* sql`select id from gatewarden_workspace where account_id = ${account_id} and id = ${workspace_id} for update`
          yield* sql`delete from gatewarden_api_key where ${own}`
        }
        const removed = yield* sql`
          delete from gatewarden_workspace where account_id = ${account_id} and id = ${workspace_id} returning id`
        return removed.length > 0 ? ("removed" as const) : ("missing" as const)
        // A key refers to its workspace without a cascade, so a live key keeps it.
      }).pipe(sql.withTransaction, (statement) => unlessMissing(statement, "has_keys" as const), retrying, writing)
  })
)
