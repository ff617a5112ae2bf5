/** Walks usage for the events of a person, and replaces the name in them. Rule: access#erasures. */
import type { HistoryPlace, NamedEvent, Person, WalkedUsage } from "@gatewarden/core/store"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { arrayLiteral } from "../../engine/arrayLiteral.ts"
import type { Replacing } from "./erasedRows.ts"

const columnOf = { user: "user_id", external_user: "external_user" } as const

interface ExaminedRow {
  readonly id: string
  readonly created_at: Date
  readonly session_id: string | null
  readonly is_named: boolean
  readonly examined: number
}

/** The last of the stretch comes as well, named or not: there the next one begins. */
export const walkEvents = (
  sql: SqlClient.SqlClient,
  account_id: string,
  { kind, name }: Person,
  place: HistoryPlace | undefined,
  examined: number
) =>
  Effect.map(
    sql<ExaminedRow>`
      with stretch as materialized (
        select id, created_at, session_id, (${sql.literal(columnOf[kind])} = ${name}::text) is true as is_named
        from gatewarden_usage_event
        where account_id = ${account_id}::uuid
          ${place === undefined ? sql`` : sql`and (created_at, id) > (${new Date(place.created_at)}, ${place.id})`}
        order by created_at, id limit ${examined}::int
      ), counted as (
        select s.*, count(*) over ()::int as examined, row_number() over (order by created_at, id) as n from stretch s
      )
      select id, created_at, session_id, is_named, examined from counted where is_named or n = examined order by n`,
    (rows): WalkedUsage => {
      const last = rows.at(-1)
      return {
        events: rows.filter(({ is_named }) => is_named).map(({ id, session_id }) => ({ id, session_id })),
        last:
          last === undefined || last.examined < examined
            ? undefined
            : { created_at: last.created_at.toISOString(), id: last.id }
      }
    }
  )

/**
 * An event that was given another name since it was walked past stays as it is.
 *
 * Bodies move while this runs: a delivery makes them a dead letter, and a replay makes a dead letter's bodies wait in the stream again. The first
 * holds the event meanwhile, the second deletes the letter; each statement here waits for one of them, and the next one sees what it wrote.
 */
export const eraseEvents = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { account_id, person: { kind, name }, pseudonym }: Replacing,
  events: readonly NamedEvent[]
) {
  if (events.length === 0) return {}
  const ids = sql`${arrayLiteral(events.map(({ id }) => id))}::text[]`
  const column = sql.literal(columnOf[kind])
  const [replaced] = yield* sql<Record<string, number>>`
    with due as materialized (
      select id from gatewarden_usage_event where account_id = ${account_id}::uuid and id = any (${ids}) order by id for no key update
    ), replaced as (
      update gatewarden_usage_event e set ${column} = ${pseudonym}::text, session_id = s.session_id, trace = null
      from due join unnest(${ids}, ${arrayLiteral(events.map(({ session_id }) => session_id))}::text[]) as s (id, session_id)
        on s.id = due.id
      where e.account_id = ${account_id}::uuid and e.id = due.id and e.${column} = ${name}::text returning 1
    ), contents as (
      delete from gatewarden_generation_content where account_id = ${account_id}::uuid and event_id = any (${ids}) returning 1
    ), feedback as (
      update gatewarden_generation_feedback set comment = null
      where account_id = ${account_id}::uuid and id = any (${ids}) and comment is not null returning 1
    )
    select (select count(*) from replaced)::int as usage_event, (select count(*) from contents)::int as generation_content,
      (select count(*) from feedback)::int as generation_feedback`
  const [letters] = yield* sql<Record<string, number>>`
    with letters as (
      update gatewarden_dead_letter set sealed_bodies = null
      where account_id = ${account_id}::uuid and event_id = any (${ids})
        and destination_id = any (array(select destination_id from gatewarden_delivery_state where account_id = ${account_id}::uuid))
      returning 1
    ) select count(*)::int as dead_letter from letters`
  const [deliveries] = yield* sql<Record<string, number>>`
    with deliveries as (
      update gatewarden_delivery set sealed_bodies = null
      where account_id = ${account_id}::uuid and event_id = any (${ids}) and sealed_bodies is not null returning 1
    ) select count(*)::int as delivery from deliveries`
  return { ...replaced, ...letters, ...deliveries }
})
