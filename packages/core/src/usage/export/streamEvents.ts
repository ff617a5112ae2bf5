import { Effect, Option, Stream } from "effect"
import type { AnalyticsSlots } from "../analytics/AnalyticsSlots.ts"
import { type EventFilter, type HistoryPlace, UsageHistory } from "../../ports/usage.ts"

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
