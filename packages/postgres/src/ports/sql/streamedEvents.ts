/**
 * Writes selected events into the stream of deliveries, and bodies that are kept into their table, within the statement that records them:
 * `added` holds the events that were recorded, so a duplicate is not delivered again. Rows get their places in the order in which the events
 * were sent.
 */
import type { SelectedEvents, UsageEvent } from "@gatewarden/core/store"
import type { SqlClient, Statement } from "effect/sql"
import { arrayLiteral } from "../../engine/arrayLiteral.ts"
import { byteaLiteral } from "../../engine/byteaLiteral.ts"

const kept = "gatewarden_generation_content (account_id, workspace_id, recorded_at, event_id, sealed_bodies)"

const target = "gatewarden_delivery (account_id, workspace_id, recorded_at, event_id, destinations, sealed_bodies)"

/** What was selected, as columns: a name, the destinations and both bodies, each one text or null. */
const columnsOf = (
  sql: SqlClient.SqlClient,
  events: readonly UsageEvent[],
  selected: SelectedEvents,
  nameOf: (event: UsageEvent, index: number) => string | number,
  type: "text" | "bigint"
) => {
  const found = events.flatMap((event, index) => {
    const one = selected.get(event)
    return one === undefined ? [] : [{ ...one, name: nameOf(event, index) }]
  })
  const destinations = found.map((one) => (one.destinations.length === 0 ? null : arrayLiteral(one.destinations)))
  const literal = (sealed: Uint8Array | null) => (sealed === null ? null : byteaLiteral(sealed))
  const bodies = found.map((one) => literal(one.sealed_bodies))
  const contents = found.map((one) => literal(one.sealed_content))
  return sql`unnest(${arrayLiteral(found.map(({ name }) => name))}::${sql.literal(type)}[],
    ${arrayLiteral(destinations)}::text[], ${arrayLiteral(bodies)}::bytea[], ${arrayLiteral(contents)}::bytea[])`
}

/** CTEs behind others, or nothing. */
export const streamed = (
  sql: SqlClient.SqlClient,
  account_id: string,
  events: readonly UsageEvent[],
  selected: SelectedEvents | undefined
): Statement.Fragment =>
  selected === undefined
    ? sql``
    : sql`, chosen as (
        select added.workspace_id, added.recorded_at, sent.*
        from ${columnsOf(sql, events, selected, ({ id }) => id, "text")}
          with ordinality as sent (id, destinations, sealed_bodies, sealed_content, place)
        join added on added.id = sent.id
      ), streamed as (
        insert into ${sql.literal(target)}
        select ${account_id}::uuid, workspace_id, recorded_at, id, destinations::uuid[], sealed_bodies
        from chosen where destinations is not null order by place
      ), kept as (
        insert into ${sql.literal(kept)}
        select ${account_id}::uuid, workspace_id, recorded_at, id, sealed_content
        from chosen where sealed_content is not null order by id
      )`

/** Columns, values and a join for events that wait in the staging table, as `sent` with their `position`. */
export const stagedDeliveries = (
  sql: SqlClient.SqlClient,
  events: readonly UsageEvent[],
  selected: SelectedEvents | undefined
) =>
  selected === undefined
    ? { columns: sql``, values: sql``, join: sql`` }
    : {
        columns: sql`, delivered_to, sealed_bodies, sealed_content`,
        values: sql`, chosen.destinations::uuid[], chosen.sealed_bodies, chosen.sealed_content`,
        join: sql` left join ${columnsOf(sql, events, selected, (_, index) => index + 1, "bigint")}
          as chosen (place, destinations, sealed_bodies, sealed_content) on chosen.place = sent.position`
      }

/** CTEs that stream what was staged of the events that were recorded, and keep its bodies: the first of an id. */
export const streamedFromStaging = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  chosen as (
    select firsts.* from (select distinct on (id) * from staged order by id, position) as firsts
    join added on added.id = firsts.id
    where firsts.delivered_to is not null or firsts.sealed_content is not null
  ), streamed as (
    insert into ${sql.literal(target)}
    select account_id, workspace_id, recorded_at, id, delivered_to, sealed_bodies
    from chosen where delivered_to is not null order by position
  ), kept as (
    insert into ${sql.literal(kept)}
    select account_id, workspace_id, recorded_at, id, sealed_content from chosen where sealed_content is not null order by id
  )`
