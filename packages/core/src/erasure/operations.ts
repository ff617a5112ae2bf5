import {
  type CreateErasure,
  type QueryOf,
  type exportPersonalData as declaration,
  maxErasures,
  usageExportTypes
} from "@gatewarden/contract/internal"
import { Clock, Effect, Option, Stream } from "effect"
import type { Caller } from "../access/Caller.ts"
import { Entropy } from "../platform/Entropy.ts"
import { Erasures, type Person, PersonalRows } from "../ports/erasures.ts"
import { type EventFilter, UsageHistory } from "../ports/usage.ts"
import { operation } from "../tracing/operation.ts"
import { AnalyticsSlots } from "../usage/analytics/AnalyticsSlots.ts"
import { examinedEvents, invalidFilter, streamEvents } from "../usage/export/exportUsageEvents.ts"
import { printEvent } from "../usage/export/printedEvents.ts"
import type { PageRequest } from "../value/Page.ts"
import { StreamedAnswer } from "../value/PrintedAnswer.ts"
import { clockToleranceMillis, formatInstant, timestamp } from "../value/calendar.ts"
import { BadRequest, Conflict, notFound } from "../value/failure.ts"
import {
  type LastingKind,
  digestOfPerson,
  isLasting,
  newErasureRequest,
  printedErasure,
  pseudonymOf,
  remedies,
  sealErasure
} from "./erasure.ts"
import { type PersonalCursor, printPersonalCursor, readPersonalCursor, readPersonalRows } from "./personalRows.ts"

/** Rule: access#erasures. */
export const createErasure = operation("createErasure")(function* (
  { account_id }: Caller,
  { user_id, external_user }: CreateErasure
) {
  const person: Person =
    user_id === undefined ? { kind: "external_user", name: external_user ?? "" } : { kind: "user", name: user_id }
  const now = yield* timestamp
  const erasures = yield* Erasures
  const obstacles = (yield* erasures.inTheWay(account_id, person, now)).filter(isLasting)
  const id = (yield* Entropy).uuid()
  const request = yield* newErasureRequest(person)
  const draft = {
    id,
    kind: person.kind,
    pseudonym: yield* pseudonymOf(request),
    created_at: now,
    sealed_request: yield* sealErasure(request, account_id, id),
    request_digest: yield* digestOfPerson(account_id, person)
  }
  // A job that was begun before somebody came back is answered all the same.
  const erasure = yield* erasures.start(account_id, draft, obstacles.length > 0 ? 0 : maxErasures)
  if (erasure === "full" && obstacles.length > 0)
    return yield* new Conflict({ reason: "person_in_use", issues: obstacles.map(issueOf(person)) })
  if (erasure === "full") {
    const message = `${maxErasures} erasures of this account are not finished`
    return yield* new Conflict({
      reason: "too_many_erasures",
      issues: [{ path: "", code: "too_many_erasures", message }]
    })
  }
  return printedErasure(erasure)
})

const issueOf =
  ({ kind: whose }: Person) =>
  ({ kind, count }: { readonly kind: LastingKind; readonly count: number }) => {
    const [one, many, remedy] = remedies[kind]
    return {
      path: whose === "user" ? "user_id" : "external_user",
      code: kind,
      message: `${count} ${count === 1 ? one : many}. ${remedy}`
    }
  }

/** Rule: access#erasures. */
export const getErasure = operation("getErasure")(function* ({ account_id }: Caller, id: string) {
  const erasure = yield* (yield* Erasures).find(account_id, id)
  return Option.isNone(erasure) ? yield* notFound() : printedErasure(erasure.value)
})

/** Rule: access#erasures, requests#lists. */
export const listErasures = operation("listErasures")(function* ({ account_id }: Caller, page: PageRequest) {
  const { data, total_count } = yield* (yield* Erasures).list(account_id, page)
  return { data: data.map(printedErasure), total_count }
})

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
  const { within } = yield* AnalyticsSlots
  const { lines, next } = yield* within(account_id)(readPersonalRows(account_id, person, from, query.limit))
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
