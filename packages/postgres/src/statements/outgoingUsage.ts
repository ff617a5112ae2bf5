/** Events that wait for a store of usage beside this database (`outgoing.sql`). */
import type { OutgoingEvent, UsageLog } from "@gatewarden/core/internal"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { arrayLiteral } from "./literals.ts"
import { reading, repeating, writing } from "./statements.ts"
import { eventOf, eventSelectionOf, eventWidth } from "./usageEventRows.ts"

/** What `UsageLog` says of them. */
export const outgoingUsage = (
  sql: SqlClient.SqlClient
): Pick<typeof UsageLog.Service, "outgoing" | "forgetOutgoing" | "forward"> => {
  /** Waits for those that are recording: what they commit would be in neither of both stores. */
  const open = sql`lock table gatewarden_usage_event in share row exclusive mode`.pipe(
    Effect.andThen(sql`
      insert into gatewarden_usage_outlet (opened_at)
      select now() where not exists (select from gatewarden_usage_outlet)`),
    sql.withTransaction
  )
  let isOpen = false
  const opened = Effect.suspend(() =>
    isOpen
      ? Effect.void
      : Effect.gen(function* () {
          const found = yield* reading(sql`select 1 from gatewarden_usage_outlet`)
          if (found.length === 0) yield* writing(open)
          isOpen = true
        })
  )
  return {
    outgoing: (limit) =>
      Effect.andThen(
        opened,
        reading(
          Effect.map(
            sql`
              select ${sql.literal(eventSelectionOf("e"))}, o.position::text, o.account_id, e.id is not null
              from (select * from gatewarden_usage_outgoing order by position limit ${limit}) o
              left join gatewarden_usage_event e
                on e.account_id = o.account_id and e.created_at = o.created_at and e.id = o.id
              order by o.position`.values,
            (rows) =>
              rows.map((row): OutgoingEvent => ({
                position: String(row[eventWidth]),
                account_id: String(row[eventWidth + 1]),
                event: row[eventWidth + 2] === true ? eventOf(row) : null
              }))
          )
        )
      ),
    forgetOutgoing: (positions) =>
      writing(
        Effect.asVoid(
          sql`delete from gatewarden_usage_outgoing where position = any(${arrayLiteral(positions)}::bigint[])`.pipe(
            repeating
          )
        )
      ),
    forward: Effect.succeed(0)
  }
}
