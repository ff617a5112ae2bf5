import { DeliveryLog, type LoggedAttempt, type WaitingEvents, mostWaitingCounted } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { eventsAfter } from "../functions/deliveries.ts"
import { reading } from "../statements/statements.ts"

const millis = (column: string): string => `floor(extract(epoch from ${column}) * 1000)::float8`

export const deliveryLog = Effect.map(SqlClient.SqlClient, (sql) => {
  const own = (account_id: string, destination_id: string) => sql`
    a.destination_id = ${destination_id}::uuid and a.account_id = ${account_id}::uuid
      and exists (select from gatewarden_destination d where d.id = a.destination_id)`
  return DeliveryLog.of({
    // A destination has `keptAttempts` rows at most, so the primary key bounds what is read, whatever the outcome.
    attempts: (account_id, destination_id, { limit, offset, outcome }) => {
      const wanted = sql`${own(account_id, destination_id)} and ${outcome === undefined ? sql`true` : sql`a.outcome = ${outcome}`}`
      return reading(
        Effect.map(
          sql<LoggedAttempt & { total_count: number }>`
            select counted.total_count, page.*
            from (select count(*)::float8 as total_count from gatewarden_delivery_attempt a where ${wanted}) counted
            left join lateral (
              select a.number::float8 as number, ${sql.literal(millis("a.ended_at"))} as ended_at, a.outcome, a.events, a.accepted,
                a.refused, a.rejected_spans::float8 as rejected_spans, a.duration_ms::float8 as duration_ms, a.status, a.message
              from gatewarden_delivery_attempt a where ${wanted}
              order by a.number desc limit ${limit}::bigint offset ${offset}::bigint
            ) page on true`,
          (rows) => ({
            data: rows.flatMap(({ total_count: _, ...attempt }) => (attempt.number === null ? [] : [attempt])),
            total_count: rows[0]?.total_count ?? 0
          })
        )
      )
    },
    waiting: (account_id, destination_id) =>
      reading(
        Effect.map(
          sql<WaitingEvents>`
            select least(coalesce(sum(left_over), 0), ${mostWaitingCounted}::int)::int as waiting,
              ${sql.literal(millis("min(recorded_at)"))} as oldest_at
            from (
              select r.recorded_at, ${sql.literal(eventsAfter("r", "s.xact", "s.seq"))} as left_over from gatewarden_destination d
              left join gatewarden_delivery_state s on s.destination_id = d.id
              join gatewarden_delivery r on r.workspace_id = d.workspace_id
                and (r.xact, r.seq) > (coalesce(s.xact, '0'::xid8), coalesce(s.seq, 0)) and d.id = any (r.destinations)
              where d.id = ${destination_id}::uuid and d.account_id = ${account_id}::uuid
              order by r.xact, r.seq limit ${mostWaitingCounted}::int
            ) counted`,
          ([row]) => row ?? { waiting: 0, oldest_at: null }
        )
      )
  })
})
