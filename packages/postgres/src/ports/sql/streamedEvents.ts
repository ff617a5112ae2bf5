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

/** What was selected of the events, by columns. */
const selectedColumns = (
  events: readonly UsageEvent[],
  selected: SelectedEvents,
  nameOf: (event: UsageEvent, index: number) => string | number
) => {
  const names: (string | number)[] = []
  const destinations: (string | null)[] = []
  const bodies: (string | null)[] = []
  const contents: (string | null)[] = []
  const literal = (sealed: Uint8Array | null) => (sealed === null ? null : byteaLiteral(sealed))
  let known: readonly string[] | undefined
  let text: string | null = null
  for (let index = 0; index < events.length; index++) {
    const event = events[index] as UsageEvent
    const one = selected.get(event)
    if (one === undefined) continue
    if (one.destinations !== known) {
      known = one.destinations
      text = known.length === 0 ? null : arrayLiteral(known)
    }
    names.push(nameOf(event, index))
    destinations.push(text)
    bodies.push(literal(one.sealed_bodies))
    contents.push(literal(one.sealed_content))
  }
  return { names, destinations, bodies, contents }
}

/**
 * What was selected, as a table with a name, the destinations, both bodies and a place. A column whose values are all the same is one
 * value: thousands of events are mostly for the same destinations, and have no bodies.
 */
const columnsOf = (
  sql: SqlClient.SqlClient,
  { names, destinations, bodies, contents }: ReturnType<typeof selectedColumns>,
  type: "text" | "bigint"
) => {
  const [first = null] = destinations
  const isShared = destinations.every((one) => one === first)
  const arrays = [sql`${arrayLiteral(names)}::${sql.literal(type)}[]`]
  const columns = ["name"]
  const column = (name: string, kind: "text" | "bytea", values: readonly (string | null)[]) => {
    arrays.push(sql`${arrayLiteral(values)}::${sql.literal(kind)}[]`)
    columns.push(name)
  }
  if (!isShared) column("destinations", "text", destinations)
  const sealed = (name: string, values: readonly (string | null)[]) => {
    if (values.every((value) => value === null)) return sql.literal("null::bytea")
    column(name, "bytea", values)
    return sql.literal(`s.${name}`)
  }
  const [body, content] = [sealed("body", bodies), sealed("content", contents)]
  return sql`(
    select s.name, ${isShared ? sql`${first}::uuid[]` : sql`s.destinations::uuid[]`} as destinations,
      ${body} as sealed_bodies, ${content} as sealed_content, s.place
    from unnest(${sql.csv(arrays)}) with ordinality as s (${sql.literal(columns.join(", "))}, place)
  )`
}

/** CTEs behind others, or nothing. */
export const streamed = (
  sql: SqlClient.SqlClient,
  account_id: string,
  events: readonly UsageEvent[],
  selected: SelectedEvents | undefined
): Statement.Fragment => {
  if (selected === undefined) return sql``
  const columns = selectedColumns(events, selected, ({ id }) => id)
  const isKept = columns.contents.some((content) => content !== null)
  return sql`, chosen as (
    select added.id, added.workspace_id, added.recorded_at, sent.destinations, sent.sealed_bodies, sent.sealed_content, sent.place
    from ${columnsOf(sql, columns, "text")} as sent join added on added.id = sent.name
  ), streamed as (
    insert into ${sql.literal(target)}
    select ${account_id}::uuid, workspace_id, recorded_at, id, destinations, sealed_bodies
    from chosen where destinations is not null order by place
  )${
    isKept
      ? sql`, kept as (
    insert into ${sql.literal(kept)}
    select ${account_id}::uuid, workspace_id, recorded_at, id, sealed_content
    from chosen where sealed_content is not null order by id
  )`
      : sql``
  }`
}

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
        values: sql`, chosen.destinations, chosen.sealed_bodies, chosen.sealed_content`,
        join: sql` left join ${columnsOf(
          sql,
          selectedColumns(events, selected, (_, index) => index + 1),
          "bigint"
        )} as chosen on chosen.name = sent.position`
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
