import { type DeadLetter, DeadLetters, type RequeuedLetter } from "@gatewarden/core/store"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { bytesOfEvent } from "../functions/deliveries.ts"
import { arrayLiteral, byteaLiteral } from "../statements/literals.ts"
import { reading, retrying, writing } from "../statements/statements.ts"

export const deadLetters = Effect.map(SqlClient.SqlClient, (sql) => {
  const listed = sql.literal(
    `l.destination_id, l.account_id, l.workspace_id, l.event_id, l.status, l.message,
      floor(extract(epoch from l.died_at) * 1000)::float8 as died_at`
  )
  const own = (account_id: string, destination_id: string) => sql`
    l.destination_id = ${destination_id}::uuid and l.account_id = ${account_id}::uuid
      and exists (select from gatewarden_destination d where d.id = l.destination_id)`
  return DeadLetters.of({
    list: (account_id, destination_id, { limit, offset }) =>
      reading(
        Effect.map(
          sql<Omit<DeadLetter, "sealed_bodies"> & { total_count: number }>`
            select counted.total_count, page.*
            from (select count(*)::float8 as total_count from gatewarden_dead_letter l where ${own(account_id, destination_id)}) counted
            left join lateral (
              select ${listed} from gatewarden_dead_letter l where ${own(account_id, destination_id)}
              order by l.died_at desc, l.event_id desc limit ${limit}::bigint offset ${offset}::bigint
            ) page on true`,
          (rows) => ({
            data: rows.flatMap(({ total_count: _, ...letter }) => (letter.event_id === null ? [] : [letter])),
            total_count: rows[0]?.total_count ?? 0
          })
        )
      ),
    find: (account_id, destination_id, event_ids, bytes) =>
      reading(sql<DeadLetter>`
        select ${listed}, l.sealed_bodies from (
          select l.*, row_number() over so_far as place, sum(coalesce(octet_length(l.sealed_bodies), 0)) over so_far as bytes
          from unnest(${arrayLiteral(event_ids)}::text[]) with ordinality as asked (id, nth)
          join gatewarden_dead_letter l on l.event_id = asked.id
          where ${own(account_id, destination_id)}
          window so_far as (order by asked.nth rows unbounded preceding)
        ) l where l.bytes <= ${bytes}::float8 or l.place = 1 order by l.place`),
    diedUntil: (account_id, destination_id, until, limit) =>
      reading(
        Effect.map(
          sql<Pick<DeadLetter, "event_id">>`
            select l.event_id from gatewarden_dead_letter l
            where ${own(account_id, destination_id)} and l.died_at <= to_timestamp(${Date.parse(until) / 1_000}::float8)
            order by l.died_at, l.event_id limit ${limit}::int`,
          (rows) => rows.map(({ event_id }) => event_id)
        )
      ),
    requeue: (account_id, destination_id, letters: readonly RequeuedLetter[], now) => {
      const ids = arrayLiteral(letters.map(({ event_id }) => event_id))
      const bodies = arrayLiteral(
        letters.map(({ sealed_bodies }) => (sealed_bodies === null ? null : byteaLiteral(sealed_bodies)))
      )
      return writing(
        retrying(
          Effect.map(
            sql<{ requeued: number }>`
              with gone as (
                delete from gatewarden_dead_letter l
                where ${own(account_id, destination_id)} and l.event_id = any (${ids}::text[])
                returning l.event_id, l.workspace_id, l.sealed_bodies is not null as has_bodies
              ), put as (
                insert into gatewarden_delivery
                  (account_id, workspace_id, recorded_at, event_id, destinations, sealed_bodies, event_bytes)
                select ${account_id}::uuid, gone.workspace_id, ${now}::timestamptz, gone.event_id, array[${destination_id}::uuid],
                  -- An erasure may have removed them since they were read.
                  case when gone.has_bodies then asked.bodies end,
                  coalesce((
                    select ${sql.literal(bytesOfEvent("e"))}
                    from gatewarden_usage_events(${account_id}::uuid, array[gone.event_id], null::gatewarden_usage_event) e
                  ), 0)
                from unnest(${ids}::text[], ${bodies}::bytea[]) with ordinality as asked (id, bodies, place)
                join gone on gone.event_id = asked.id order by asked.place
                returning 1
              ) select count(*)::int as requeued from put`,
            ([row]) => row?.requeued ?? 0
          )
        )
      )
    }
  })
})
