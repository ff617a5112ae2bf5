import { type Change, ChangeLog, maxChanges } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ChangeChannel } from "../connection/ChangeChannel.ts"
import { reading } from "../statements/statements.ts"

type Row = { readonly position: string; readonly changes: readonly Change[] | null }

/** Rows that are read at once: one account can change more in a minute than a server may look through. */
const mostRows = 10_000

/**
 * A position is a snapshot: what it did not see and the present one does was committed in between. Rows that came with a copy of
 * another database bear its transactions, which the present snapshot does not see either.
 */
export const changeLog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { announce, hear } = yield* ChangeChannel
  return ChangeLog.of({
    announce,
    hear,
    since: (position) =>
      reading(
        Effect.map(
          position === undefined
            ? sql<Row>`select pg_current_snapshot()::text as position, null as changes`
            : sql<Row>`
                with read as materialized (
                  select account_id, noun, id, workspace_id from gatewarden_changes
                  where xact >= pg_snapshot_xmin(${position}::text::pg_snapshot)
                    and not pg_visible_in_snapshot(xact, ${position}::text::pg_snapshot)
                    and pg_visible_in_snapshot(xact, pg_current_snapshot())
                  order by xact, seq limit ${mostRows}::int
                )
                select pg_current_snapshot()::text as position, case when (select count(*) from read) < ${mostRows}::int then coalesce(
                  (select json_agg(change) from (select distinct * from read limit ${maxChanges + 1}::int) change), '[]'
                ) end as changes`,
          ([row]) => {
            const changes = row?.changes ?? null
            return {
              position: row?.position ?? "",
              changes: changes === null || changes.length > maxChanges ? "everything" : changes
            }
          }
        )
      )
  })
})
