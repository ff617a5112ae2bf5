import {
  type QueryOf,
  type UsageEventFilter,
  type UsageExportFormat,
  type exportUsageEvents as declaration,
  usageExportTypes
} from "@gatewarden/contract/internal"
import { Clock, Effect, Option, Stream } from "effect"
import { type Caller, reachedWorkspaces } from "../../access/Caller.ts"
import { splitVariant } from "../../catalog/modelNames.ts"
import { type EventFilter, type HistoryPlace, UsageHistory, eventsAtOnce } from "../../ports/usage.ts"
import { operation } from "../../tracing/operation.ts"
import { StreamedAnswer, preferredType } from "../../value/PrintedAnswer.ts"
import { clockToleranceMillis, formatInstant } from "../../value/calendar.ts"
import { base64url, fromBase64url } from "../../value/text.ts"
import { BadRequest } from "../../value/failure.ts"
import { AnalyticsSlots } from "../analytics/AnalyticsSlots.ts"
import { type EventFormat, eventFormatOf, exportHeader, printEvent } from "./printedEvents.ts"

/** The cursor of an export: the place of the event before the page, and the end of the export, which its first page chose. */
export interface ExportCursor {
  readonly place: HistoryPlace
  /** ISO 8601 in UTC with milliseconds. */
  readonly end: string
}

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true })

const maxIdLength = 256

export const printCursor = ({ place, end }: ExportCursor): string =>
  base64url(encoder.encode(JSON.stringify([Date.parse(place.created_at), Date.parse(end), place.id])))

/** Undefined for a text that no answer had. */
export const readCursor = (text: string): ExportCursor | undefined => {
  const bytes = fromBase64url(text)
  if (bytes === undefined) return undefined
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes))
    if (!Array.isArray(value) || value.length !== 3) return undefined
    const [created, end, id] = value as readonly unknown[]
    return isInstant(created) && isInstant(end) && isId(id)
      ? { place: { created_at: formatInstant(created), id }, end: formatInstant(end) }
      : undefined
  } catch {
    return undefined
  }
}

/** Years 0 to 9999, which have four digits. */
const isInstant = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= -62_167_219_200_000 && (value as number) < 253_402_300_800_000

const isId = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= maxIdLength && !value.includes("\0")

/** The filter that a query names. Fails with 400 for an end before the start, and for a tag without its classifier or its dimension. */
export const readEventFilter = Effect.fnUntraced(function* (query: UsageEventFilter) {
  const { start, end, model, classifier, dimension, value } = query
  if (dimension !== undefined && classifier === undefined)
    return yield* invalidFilter("dimension", "Expected a classifier that the dimension belongs to")
  if (value !== undefined && dimension === undefined)
    return yield* invalidFilter("value", "Expected a dimension whose tag is the value")
  const now = yield* Clock.currentTimeMillis
  const name = model === undefined ? undefined : splitVariant(model)
  if (start !== undefined && end !== undefined && start > end)
    return yield* invalidFilter("end", "Expected an end that is not before the start")
  const filter: EventFilter = {
    start,
    // Events of a clock that is ahead are among those that were recorded before.
    end: end ?? formatInstant(now + clockToleranceMillis + 1),
    equal: {
      workspace_id: query.workspace_id,
      api_key_hash: query.api_key_hash,
      user_id: query.user_id,
      external_user: query.external_user,
      provider: query.provider,
      endpoint_tag: query.endpoint_tag,
      guardrail_id: query.guardrail_id,
      app: query.app,
      session_id: query.session_id,
      status: query.status,
      ...(name === undefined ? {} : { model: name.slug }),
      ...(name === undefined || name.variant === "" ? {} : { variant: name.variant })
    },
    tag: classifier === undefined ? undefined : { classifier, dimension, value }
  }
  return filter
})

export const invalidFilter = (name: string, message: string) =>
  new BadRequest({ reason: "invalid_request", issues: [{ path: `query.${name}`, code: "invalid_value", message }] })

/** Events that a page examines at most, whether or not the filter passes them. */
export const examinedEvents = 50_000

/** The events of a page, behind a place and up to its end, a stretch at a time, each when it is the account's turn. */
export const streamEvents = (
  { eventsBetween }: typeof UsageHistory.Service,
  { goingOn }: typeof AnalyticsSlots.Service,
  account_id: string,
  filter: EventFilter,
  place: HistoryPlace | undefined,
  last: HistoryPlace
) =>
  Stream.paginate(place, (from: HistoryPlace | undefined) =>
    Effect.map(goingOn(account_id)(eventsBetween(account_id, filter, from, last)), (events) => {
      const end = events.at(-1)
      const isDone = end === undefined || (end.id === last.id && end.created_at === last.created_at)
      return [[events], isDone ? Option.none() : Option.some(end)] as const
    })
  )

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

/** The next events of an export, and where to read on; undefined at its end. */
export const readEvents = Effect.fnUntraced(function* (
  account_id: string,
  filter: EventFilter,
  place: HistoryPlace | undefined
) {
  const history = yield* UsageHistory
  const most = { limit: eventsAtOnce, examined: examinedEvents }
  const { last, goesOn } = yield* history.pageAfter(account_id, filter, place, most)
  const events = yield* history.eventsBetween(account_id, filter, place, last)
  const end = events.at(-1)
  const next = end === undefined ? (goesOn ? last : undefined) : { created_at: end.created_at, id: end.id }
  return { events, next }
})

/** The same as text. */
export const readStretch = (
  account_id: string,
  filter: EventFilter,
  place: HistoryPlace | undefined,
  format: EventFormat
) =>
  Effect.map(readEvents(account_id, filter, place), ({ events, next }) => ({
    text: events.map(printEvent[format]).join(""),
    events: events.length,
    next
  }))
