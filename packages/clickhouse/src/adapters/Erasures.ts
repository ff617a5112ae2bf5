/**
 * Erasures that reach usage here, too: events that the other store has dropped are here alone, and sums have names.
 *
 * A step is done here before the other store keeps how far the job is, so that whoever is interrupted in between does it again.
 */
import { type Erasures, type HistoryPlace, type NamedEvent, type Person, traceTags } from "@gatewarden/core/internal"
import { Clock, Effect, Option } from "effect"
import { Parameters } from "../connection/Parameters.ts"
import type { Clickhouse } from "../connection/openClickhouse.ts"
import { type SchemaOptions, cellTable, dayTable, eventTable, rowsOf, versionColumn } from "../schema/statements.ts"
import { usageColumns } from "../schema/usageColumns.ts"
import { bucketOf } from "./buckets.ts"

const columnOf = { user: "user_id", external_user: "external_user" } as const

/** Events of one statement: their ids are part of an address, which is to be short. */
const eventsAtOnce = 50

interface PlacedEvent extends NamedEvent {
  readonly place: HistoryPlace
}

/** Events that name a person behind a place and up to another, at most so many. */
const namedBetween = (
  { rows }: Clickhouse,
  account_id: string,
  { kind, name }: Person,
  place: HistoryPlace | undefined,
  last: HistoryPlace | undefined,
  limit: number
): Effect.Effect<readonly PlacedEvent[]> => {
  const { bound, put, text } = new Parameters()
  const beside = (operator: string, { created_at, id }: HistoryPlace) =>
    `(created_at, id) ${operator} (${put("Int64", Date.parse(created_at))}, ${text(id)})`
  const conditions = [
    `account_id = ${text(account_id)}`,
    `${columnOf[kind]} = ${text(name)}`,
    ...(place === undefined ? [] : [beside(">", place)]),
    ...(last === undefined ? [] : [beside("<=", last)])
  ]
  return Effect.map(
    rows(
      `SELECT id, session_id, created_at FROM ${eventTable} FINAL WHERE ${conditions.join(" AND ")}
      ORDER BY created_at, id LIMIT ${put("UInt64", limit)}`,
      bound
    ),
    (found) =>
      found.map(([id, session_id, created_at]) => ({
        id: String(id),
        session_id: typeof session_id === "string" ? session_id : null,
        place: { created_at: new Date(Number(created_at)).toISOString(), id: String(id) }
      }))
  )
}

/** The other tags stay. */
const withoutTraceTags = (put: Parameters["text"]): string =>
  `nullIf(concat('{', arrayStringConcat(arrayMap(pair -> concat(toJSONString(pair.1), ':', pair.2), arrayFilter(
    pair -> pair.1 != ${put(traceTags)}, JSONExtractKeysAndValuesRaw(ifNull(classifiers, '{}')))), ','), '}'), '{}')`

/** Sends the events as if they had been changed, and marks their days. What the other store sends of them later has a greater version. */
const replaceNames = Effect.fnUntraced(function* (
  { run }: Clickhouse,
  account_id: string,
  { kind, name }: Person,
  pseudonym: string,
  events: readonly NamedEvent[]
) {
  const replacing = new Parameters()
  const { put, text } = replacing
  const sessions = events.filter(({ session_id }) => session_id !== null)
  const replaced: Readonly<Record<string, string>> = {
    [columnOf[kind]]: text(pseudonym),
    session_id:
      sessions.length === 0
        ? "NULL"
        : `nullIf(transform(id, ${put(
            "Array(String)",
            sessions.map(({ id }) => id)
          )}, ${put(
            "Array(String)",
            sessions.map(({ session_id }) => session_id ?? "")
          )}, ''), '')`,
    trace: "NULL",
    classifiers: withoutTraceTags(text)
  }
  const names = usageColumns.map((column) => column.name)
  const ids = events.map(({ id }) => id)
  yield* run(
    `INSERT INTO ${eventTable} (account_id, ${versionColumn}, ${names.join(", ")})
    SELECT account_id, ${versionColumn} + 1, ${names.map((column) => replaced[column] ?? column).join(", ")}
    FROM ${eventTable} FINAL
    WHERE account_id = ${text(account_id)} AND ${columnOf[kind]} = ${text(name)} AND id IN ${put("Array(String)", ids)}`,
    replacing.bound
  )
  const marking = new Parameters()
  yield* run(
    `INSERT INTO ${dayTable} (account_id, day, marked, marked_at)
    SELECT account_id, ${bucketOf("day", "created_at")} AS day, 1, ${marking.put("Int64", yield* Clock.currentTimeMillis)}
    FROM ${eventTable} WHERE account_id = ${marking.text(account_id)} AND ${columnOf[kind]} = ${marking.text(pseudonym)}
      AND id IN ${marking.put("Array(String)", ids)} GROUP BY account_id, day`,
    marking.bound
  )
})

/** Replaces the name in sums, and in rows of events that others have replaced and that are not merged away yet. */
const forget = Effect.fnUntraced(function* (
  { rows, run }: Clickhouse,
  account_id: string,
  { kind, name }: Person,
  pseudonym: string,
  options: SchemaOptions
) {
  const about: Readonly<Record<string, readonly string[]>> = {
    [cellTable]: [],
    [eventTable]: ["session_id = NULL", "trace = NULL"]
  }
  for (const [table, values] of Object.entries(about)) {
    const { bound, text } = new Parameters()
    const where = `account_id = ${text(account_id)} AND ${columnOf[kind]} = ${text(name)}`
    const found = yield* rows(`SELECT 1 FROM ${table} WHERE ${where} LIMIT 1`, bound)
    if (found.length === 0) continue
    const set = [`${columnOf[kind]} = ${text(pseudonym)}`, ...values].join(", ")
    yield* run(`ALTER TABLE ${rowsOf(table, options)} UPDATE ${set} WHERE ${where}`, bound)
  }
})

export const makeErasures = (
  clickhouse: Clickhouse,
  erasures: typeof Erasures.Service,
  upToDate: Effect.Effect<void>,
  options: SchemaOptions
): typeof Erasures.Service => ({
  ...erasures,
  walk: Effect.fnUntraced(function* (account_id, person, place, examined) {
    yield* upToDate
    const walked = yield* erasures.walk(account_id, person, place, examined)
    const here = yield* namedBetween(clickhouse, account_id, person, place, walked.last, examined)
    const last = here.length < examined ? walked.last : here.at(-1)?.place
    // What the other store has behind that place is walked from there.
    const known = new Set(here.map(({ id }) => id))
    const others = last === walked.last ? walked.events.filter(({ id }) => !known.has(id)) : []
    return { events: [...here.map(({ id, session_id }) => ({ id, session_id })), ...others], last }
  }),
  advance: Effect.fnUntraced(function* (account_id, id, work, now) {
    const erasure = work.does === "wait" ? Option.none() : yield* erasures.find(account_id, id)
    if (work.does === "wait" || Option.isNone(erasure) || erasure.value.finished_at !== null)
      return yield* erasures.advance(account_id, id, work, now)
    const { pseudonym } = erasure.value
    if (work.does === "events") {
      const { events } = work.walked
      for (let from = 0; from < events.length; from += eventsAtOnce)
        yield* replaceNames(clickhouse, account_id, work.person, pseudonym, events.slice(from, from + eventsAtOnce))
    } else yield* forget(clickhouse, account_id, work.person, pseudonym, options)
    return yield* erasures.advance(account_id, id, work, now)
  })
})
