import { Effect } from "effect"
import { type EventFilter, type HistoryPlace, UsageHistory, eventsAtOnce } from "../../ports/usage.ts"
import { type EventFormat, printEvent } from "./printedEvents.ts"
import { examinedEvents } from "./streamEvents.ts"

/** The next events of an export as text, and where to read on; undefined at its end. */
export const readStretch = Effect.fnUntraced(function* (
  account_id: string,
  filter: EventFilter,
  place: HistoryPlace | undefined,
  format: EventFormat
) {
  const history = yield* UsageHistory
  const most = { limit: eventsAtOnce, examined: examinedEvents }
  const { last, goesOn } = yield* history.pageAfter(account_id, filter, place, most)
  const events = yield* history.eventsBetween(account_id, filter, place, last)
  const end = events.at(-1)
  const next = end === undefined ? (goesOn ? last : undefined) : { created_at: end.created_at, id: end.id }
  return { text: events.map(printEvent[format]).join(""), events: events.length, next }
})
