import { type exportPersonalData as declaration, type QueryOf, usageExportTypes } from "@gatewarden/contract"
import { Clock, Effect, Stream } from "effect"
import type { Caller } from "../access/Caller.ts"
import { BadRequest } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { clockToleranceMillis } from "../value/clockTolerance.ts"
import { type EventFilter, UsageHistory } from "../ports/usage.ts"
import { printEvent } from "../usage/export/printedEvents.ts"
import { invalidFilter } from "../usage/export/readEventFilter.ts"
import { examinedEvents, streamEvents } from "../usage/export/streamEvents.ts"
import { AnalyticsSlots } from "../usage/analytics/AnalyticsSlots.ts"
import { StreamedAnswer } from "../value/StreamedAnswer.ts"
import { formatInstant } from "../value/timestamp.ts"
import { type PersonalCursor, printPersonalCursor, readPersonalCursor } from "./personalCursor.ts"
import { type Person, PersonalRows } from "../ports/erasures.ts"
import { readPersonalRows } from "./readPersonalRows.ts"

type Query = QueryOf<typeof declaration>

/**
 * A page of what names a person: rows of configuration table by table, then usage events with the feedback on them. Rule: access#personal-data.
 *
 * Rows of configuration are small and at most `limit`, so they are read before the answer begins; events are read and sent a stretch at a time.
 */
export const exportPersonalData = operation("exportPersonalData")(function* (caller: Caller, query: Query) {
  const { account_id } = caller
  const person = yield* personOf(query)
  const from = query.cursor === undefined ? undefined : readPersonalCursor(query.cursor)
  if (query.cursor !== undefined && from === undefined)
    return yield* invalidFilter("cursor", "Expected `x-next-cursor` of an answer")
  const { lines, next } = yield* readPersonalRows(account_id, person, from, query.limit)
  const limit = query.limit - lines.length
  const usage =
    next.table === "usage_event" && limit > 0
      ? yield* usagePage(account_id, person, next.after, limit)
      : { lines: Stream.empty, next }
  const body = yield* Stream.toReadableStreamEffect(
    Stream.make(lines.join("")).pipe(
      Stream.concat(usage.lines),
      Stream.filter((text) => text !== ""),
      Stream.map((text) => encoder.encode(text))
    ),
    { strategy: { highWaterMark: 0 } }
  )
  return new StreamedAnswer(
    body,
    usageExportTypes.ndjson,
    usage.next === undefined ? {} : nextHeaders(query, usage.next)
  )
})

const encoder = new TextEncoder()

const personOf = ({ user_id, external_user }: Query) => {
  if (user_id !== undefined && external_user === undefined)
    return Effect.succeed<Person>({ kind: "user", name: user_id })
  if (external_user !== undefined && user_id === undefined)
    return Effect.succeed<Person>({ kind: "external_user", name: external_user })
  const issue = { path: "query", code: "invalid_value", message: "Expected exactly one of user_id and external_user" }
  return new BadRequest({ reason: "invalid_request", issues: [issue] })
}

/** The usage of the person behind a cursor, as lines, and where the next page begins. */
const usagePage = Effect.fnUntraced(function* (
  account_id: string,
  { kind, name }: Person,
  after: (PersonalCursor & { table: "usage_event" })["after"],
  limit: number
) {
  const history = yield* UsageHistory
  const slots = yield* AnalyticsSlots
  const rows = yield* PersonalRows
  // Events of a clock that is ahead are among those that were recorded before.
  const end = after?.end ?? formatInstant((yield* Clock.currentTimeMillis) + clockToleranceMillis + 1)
  const filter: EventFilter = {
    start: undefined,
    end,
    equal: kind === "user" ? { user_id: name } : { external_user: name },
    tag: undefined
  }
  const { last, goesOn } = yield* slots.within(account_id)(
    history.pageAfter(account_id, filter, after?.place, { limit, examined: examinedEvents })
  )
  const lines = Stream.mapEffect(streamEvents(history, slots, account_id, filter, after?.place, last), (events) =>
    Effect.map(
      events.length === 0
        ? Effect.succeed([])
        : rows.feedbackOn(
            account_id,
            events.map(({ id }) => id)
          ),
      (feedback) =>
        [
          ...events.map(
            (event) => `{"table":"usage_event","named_in":["${fieldOf[kind]}"],${printEvent.ndjson(event).slice(1)}`
          ),
          ...feedback.map((given) => `${JSON.stringify({ table: "generation_feedback", ...given })}\n`)
        ].join("")
    )
  )
  const next: PersonalCursor | undefined = goesOn ? { table: "usage_event", after: { place: last, end } } : undefined
  return { lines, next }
})

/** The field of an event that names the person. */
const fieldOf = { user: "user_id", external_user: "external_user" } as const

/** The address is relative to that of the request, whose host may be behind a proxy. */
const nextHeaders = (query: Query, next: PersonalCursor) => {
  const cursor = printPersonalCursor(next)
  const parameters = Object.entries({ ...query, cursor }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]]
  )
  return { "x-next-cursor": cursor, link: `<?${new URLSearchParams(parameters)}>; rel="next"` }
}
