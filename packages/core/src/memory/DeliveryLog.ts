import { Effect } from "effect"
import { DeliveryLog, mostWaitingCounted } from "../ports/deliveries.ts"
import { onSweep } from "./tables/sweeps.ts"
import type { Tables } from "./tables/Tables.ts"

export const deliveryLog = (tables: Tables) => {
  const attempts = tables.deliveryAttempts
  onSweep(tables.sweeps, "delivery_attempts", (before, atMost) => {
    let swept = 0
    for (const [id, kept] of attempts) {
      const old = kept.filter(({ ended_at }) => ended_at < before).length
      const gone = Math.min(old, atMost - swept)
      if (gone === 0) continue
      swept += gone
      if (gone === kept.length) attempts.delete(id)
      else attempts.set(id, kept.slice(gone))
    }
    return swept
  })
  const isOwn = (account_id: string, destination_id: string): boolean =>
    tables.destinations.get(destination_id)?.account_id === account_id
  return DeliveryLog.of({
    attempts: (account_id, destination_id, { limit, offset, outcome }) =>
      Effect.sync(() => {
        const own = isOwn(account_id, destination_id) ? (attempts.get(destination_id) ?? []) : []
        const kept = outcome === undefined ? own : own.filter((attempt) => attempt.outcome === outcome)
        return { data: kept.toReversed().slice(offset, offset + limit), total_count: kept.length }
      }),
    waiting: (account_id, destination_id) =>
      Effect.sync(() => {
        let waiting = 0
        let oldest_at: number | null = null
        if (!isOwn(account_id, destination_id)) return { waiting, oldest_at }
        for (const row of tables.deliveries.after(tables.deliveryRows.get(destination_id)?.position ?? 0)) {
          if (waiting >= mostWaitingCounted) break
          if (!row.destinations.includes(destination_id)) continue
          oldest_at ??= row.recorded_at
          waiting++
        }
        return { waiting, oldest_at }
      })
  })
}
