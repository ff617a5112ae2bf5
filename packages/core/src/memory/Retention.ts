import { Clock, Effect } from "effect"
import { Retention } from "../ports/retention.ts"
import { dayMillis } from "../value/calendar.ts"
import type { Tables } from "./tables/Tables.ts"

/** Drops the events of days before an instant, whose ids stay known until another one. Answers how many events and ids. */
const dropUsage = (
  { usageEvents, droppedUsage, usageHorizon }: Tables,
  begins_at: number,
  knownFrom: number
): number => {
  let dropped = 0
  for (const [account_id, events] of usageEvents) {
    const ids = droppedUsage.get(account_id) ?? new Map<string, number>()
    droppedUsage.set(account_id, ids)
    for (const { id, created_at } of events.values()) {
      const at = Date.parse(created_at)
      if (at >= begins_at) continue
      ids.set(id, at)
      events.delete(id)
      dropped++
    }
    for (const [id, at] of ids) if (at < knownFrom && ids.delete(id)) dropped++
  }
  if (dropped > 0) usageHorizon.begins_at = Math.max(usageHorizon.begins_at, begins_at)
  return dropped
}

const startOfDay = (millis: number): number => millis - (((millis % dayMillis) + dayMillis) % dayMillis)

/** Each port of the store knows how to forget its own rows: `Tables.sweeps`. Sums of days are not kept, so nothing is merged or folded. */
export const retention = (tables: Tables) => {
  const { sweeps } = tables
  return Retention.of({
    sweep: (what, olderThanSeconds, atMost) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        let swept = 0
        for (const sweep of sweeps.get(what) ?? []) swept += sweep(now - olderThanSeconds * 1_000, atMost - swept)
        return swept
      }),
    releaseExpiredHolds: () =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        for (const release of sweeps.get("expired_holds") ?? []) release(now, Infinity)
        return 0
      }),
    mergeSpending: () => Effect.succeed(0),
    keepUsage: (days) =>
      days === undefined
        ? Effect.succeed(0)
        : Effect.map(Clock.currentTimeMillis, (now) => {
            const at = (count: number) => startOfDay(now) - count * dayMillis
            return dropUsage(tables, at(days), at(2 * days))
          }),
    foldRankings: () => Effect.succeed(0),
    foldUsage: () => Effect.succeed(0),
    measureEndpoints: () => Effect.succeed(0)
  })
}
