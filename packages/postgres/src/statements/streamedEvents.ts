/**
 * Writes selected events into the stream of deliveries, and bodies that are kept into their table, within the statement that records them:
 * `added` holds the events that were recorded, so a duplicate is not delivered again. Rows get their places in the order in which the events
 * were sent.
 */
import type { SelectedEvents, UsageEvent } from "@gatewarden/core/store"
import type { SqlClient, Statement } from "effect/sql"
import { bytesOfEvent, insertRuns, runsOf } from "../functions/deliveries.ts"
import { arrayLiteral, byteaLiteral } from "./literals.ts"
import { estimated } from "./AnalyticsSql.ts"

const kept = "gatewarden_generation_content (account_id, workspace_id, recorded_at, event_id, sealed_bodies)"

type Cell = string | number | null

/** What was selected of the events, by columns. */
const selectedColumns = (
  events: readonly UsageEvent[],
  selected: SelectedEvents,
  nameOf: (event: UsageEvent, index: number) => string | number
) => {
  const all = runsOf(events, selected)
  const names: (string | number)[] = []
  const runs: Cell[] = []
  const destinations: Cell[] = []
  const bodies: Cell[] = []
  const contents: Cell[] = []
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
    runs.push(all[index] ?? null)
    destinations.push(text)
    bodies.push(literal(one.sealed_bodies))
    contents.push(literal(one.sealed_content))
  }
  return { names, runs, destinations, bodies, contents }
}

/**
 * What was selected, as a table with a name, the run, the destinations, both bodies and a place. A column whose values are all the same is
 * one value: thousands of events are mostly one run, and have no bodies.
 */
const columnsOf = (
  sql: SqlClient.SqlClient,
  { names, runs, destinations, bodies, contents }: ReturnType<typeof selectedColumns>,
  type: "text" | "bigint"
) => {
  const few = (array: Statement.Fragment) => estimated(sql, names.length, array)
  const arrays = [few(sql`${arrayLiteral(names)}::${sql.literal(type)}[]`)]
  const columns = ["name"]
  const column = (name: string, kind: "text" | "bigint" | "bytea", values: readonly Cell[]) => {
    const [first = null] = values
    if (values.every((value) => value === first)) return sql`${first}::${sql.literal(kind)}`
    arrays.push(few(sql`${arrayLiteral(values)}::${sql.literal(kind)}[]`))
    columns.push(name)
    return sql.literal(`s.${name}`)
  }
  const own = [
    column("run", "bigint", runs),
    column("destinations", "text", destinations),
    column("body", "bytea", bodies),
    column("content", "bytea", contents)
  ] as const
  return sql`(
    select s.name, ${own[0]} as run, ${own[1]} as destinations, ${own[2]} as sealed_bodies, ${own[3]} as sealed_content, s.place
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
    select ${account_id}::uuid as account_id, added.id, added.workspace_id, added.recorded_at, sent.run, sent.destinations,
      sent.sealed_bodies, sent.sealed_content, ${sql.literal(bytesOfEvent("added"))} as event_bytes, sent.place
    from ${columnsOf(sql, columns, "text")} as sent join added on added.id = sent.name
  ), streamed as (${sql.literal(insertRuns("chosen"))}
  )${
    isKept
      ? sql`, kept as (
    insert into ${sql.literal(kept)}
    select account_id, workspace_id, recorded_at, id, sealed_content from chosen where sealed_content is not null order by id
  )`
      : sql``
  }`
}

/** Columns, values and a join for events that wait in the staging table, as `sent` with their `position`, behind so many others. */
export const stagedDeliveries = (
  sql: SqlClient.SqlClient,
  events: readonly UsageEvent[],
  selected: SelectedEvents | undefined,
  first: number
) =>
  selected === undefined
    ? { columns: sql``, values: sql``, join: sql`` }
    : {
        columns: sql`, delivered_to, delivery_run, sealed_bodies, sealed_content`,
        values: sql`, chosen.destinations::uuid[], ${first}::bigint + chosen.run, chosen.sealed_bodies, chosen.sealed_content`,
        join: sql` left join ${columnsOf(
          sql,
          selectedColumns(events, selected, (_, index) => index + 1),
          "bigint"
        )} as chosen on chosen.name = sent.position`
      }

/**
 * CTEs that stream what was staged of the events that were recorded, and keep its bodies: `firsts` holds the first of each id.
 *
 * A full join, though every event of `added` is in `firsts`: PostgreSQL expects one row of each, and would compare each with each. It runs a full
 * join by hash or by merge, unless it may reduce it to an inner one, which `offset` prevents.
 */
export const streamedFromStaging = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  chosen as (
    select account_id, id, workspace_id, recorded_at, delivery_run as run, delivered_to::text as destinations, sealed_bodies, sealed_content,
      ${sql.literal(bytesOfEvent("recorded"))} as event_bytes, position as place
    from (select firsts.*, added.id as added_id from firsts full join added on added.id = firsts.id offset 0) as recorded
    where added_id is not null and (delivery_run is not null or sealed_content is not null)
  ), streamed as (${sql.literal(insertRuns("chosen"))}
  ), kept as (
    insert into ${sql.literal(kept)}
    select account_id, workspace_id, recorded_at, id, sealed_content from chosen where sealed_content is not null order by id
  )`
