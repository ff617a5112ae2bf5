import { Effect } from "effect"
import { compareText } from "../value/text.ts"
import {
  type EventFilter,
  type HistoryPlace,
  type UsageEvent,
  UsageHistory,
  eventsAtOnce,
  passes
} from "../ports/usage.ts"
import { requestsWithAdjustments } from "./tables/recordEvent.ts"
import type { Tables } from "./tables/Tables.ts"

const comparePlaces = (a: HistoryPlace, b: HistoryPlace): number =>
  compareText(a.created_at, b.created_at) || compareText(a.id, b.id)

export const usageHistory = (tables: Tables) => {
  /** In their order. */
  const eventsAfter = (
    account_id: string,
    { start, end, apart }: Pick<EventFilter, "start" | "end" | "apart">,
    place: HistoryPlace | undefined
  ): readonly UsageEvent[] =>
    (apart === true
      ? [...(tables.usageEvents.get(account_id)?.values() ?? [])]
      : requestsWithAdjustments(tables, account_id)
    )
      .filter((event) => (start === undefined || event.created_at >= start) && event.created_at < end)
      .filter((event) => place === undefined || comparePlaces(event, place) > 0)
      .sort(comparePlaces)

  return UsageHistory.of({
    after: (account_id, { start, end, api_key_hash }, place, limit) =>
      Effect.sync(() =>
        eventsAfter(account_id, { start, end }, place)
          .filter((event) => api_key_hash === undefined || event.api_key_hash === api_key_hash)
          .slice(0, limit)
      ),
    pageAfter: (account_id, filter, place, { limit, examined }) =>
      Effect.sync(() => {
        const found = eventsAfter(account_id, filter, place)
        const seen = found.slice(0, examined)
        const passed = seen.filter((event) => passes(filter, event))
        const last = passed.length > limit ? passed[limit - 1] : found.length > examined ? seen.at(-1) : undefined
        return last === undefined
          ? { last: { created_at: filter.end, id: "" }, goesOn: false }
          : { last: { created_at: last.created_at, id: last.id }, goesOn: true }
      }),
    eventsBetween: (account_id, filter, place, last) =>
      Effect.sync(() =>
        eventsAfter(account_id, filter, place)
          .filter((event) => comparePlaces(event, last) <= 0 && passes(filter, event))
          .slice(0, eventsAtOnce)
      )
  })
}
