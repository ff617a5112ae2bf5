import {
  type exportUsageEvents as declaration,
  type QueryOf,
  type UsageExportFormat,
  usageExportTypes
} from "@gatewarden/contract"
import { Stream } from "effect"
import type { Caller } from "../../access/Caller.ts"
import { reachedWorkspaces } from "../../access/restrictions.ts"
import { operation } from "../../tracing/operation.ts"
import { preferredType } from "../../value/preferredType.ts"
import { StreamedAnswer } from "../../value/StreamedAnswer.ts"
import { AnalyticsSlots } from "../analytics/AnalyticsSlots.ts"
import { type EventFilter, UsageHistory } from "../../ports/usage.ts"
import { printCursor, readCursor } from "./exportCursor.ts"
import { eventFormatOf, exportHeader, printEvent } from "./printedEvents.ts"
import { invalidFilter, readEventFilter } from "./readEventFilter.ts"
import { examinedEvents, streamEvents } from "./streamEvents.ts"

type Query = QueryOf<typeof declaration>

/**
 * A page of the account's events, or of those of the workspaces that the key reaches. Rule: usage#export.
 *
 * The end of the page is found first, so that the headers can name the next one; its events are then read and sent a stretch at a time.
 */
export const exportUsageEvents = operation("exportUsageEvents")(function* (
  caller: Caller,
  query: Query,
  accept: string | undefined
) {
  const history = yield* UsageHistory
  const slots = yield* AnalyticsSlots
  const { account_id } = caller
  const filter: EventFilter = { ...(yield* readEventFilter(query)), workspaces: reachedWorkspaces(caller) }
  const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor)
  if (query.cursor !== undefined && cursor === undefined)
    return yield* invalidFilter("cursor", "Expected `x-next-cursor` of an answer")
  const asked: EventFilter = cursor === undefined || query.end !== undefined ? filter : { ...filter, end: cursor.end }
  const place = cursor?.place
  const { limit } = query
  const page = yield* slots.within(account_id)(
    history.pageAfter(account_id, asked, place, { limit, examined: examinedEvents })
  )
  const format = query.format ?? formatOf(accept)
  const printed = eventFormatOf(format, query.csv_safe)
  const { last } = page
  const lines = Stream.map(streamEvents(history, slots, account_id, asked, place, last), (events) =>
    events.map(printEvent[printed]).join("")
  )
  const body = yield* Stream.toReadableStreamEffect(
    Stream.make(exportHeader[printed]).pipe(
      Stream.concat(lines),
      Stream.filter((text) => text !== ""),
      Stream.map((text) => encoder.encode(text))
    ),
    { strategy: { highWaterMark: 0 } }
  )
  return new StreamedAnswer(
    body,
    usageExportTypes[format],
    page.goesOn ? nextHeaders(query, format, printCursor({ place: last, end: asked.end })) : {}
  )
})

const encoder = new TextEncoder()

/** The address is relative to that of the request, whose host may be behind a proxy. */
const nextHeaders = (query: Query, format: UsageExportFormat, cursor: string) => {
  const parameters = Object.entries({ ...query, format, cursor }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]]
  )
  return { "x-next-cursor": cursor, link: `<?${new URLSearchParams(parameters)}>; rel="next"` }
}

/** CSV only for a client that prefers it. */
const formatOf = (accept: string | undefined): UsageExportFormat =>
  preferredType(accept, [usageExportTypes.csv, usageExportTypes.ndjson]) === usageExportTypes.csv ? "csv" : "ndjson"
