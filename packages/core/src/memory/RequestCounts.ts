import { Clock, Effect } from "effect"
import { onSweep, sweepMap } from "./tables/sweeps.ts"
import type { Tables } from "./tables/Tables.ts"
import { isInWindow, quotaState } from "../limits/requireQuota.ts"
import { RequestCounts } from "../ports/limits.ts"

export const requestCounts = ({ sweeps }: Tables) => {
  const requests = new Map<string, number[]>()
  onSweep(
    sweeps,
    "request_counts",
    sweepMap(requests, (times, before) => (times.at(-1) ?? 0) < before)
  )
  return RequestCounts.of({
    consume: (quotas) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const counted = quotas.map((quota) => {
          const times = (requests.get(quota.bucket) ?? []).filter((at) => isInWindow(quota.window, at, now))
          requests.set(quota.bucket, times)
          return { quota, times }
        })
        const admitted = counted.every(({ quota, times }) => times.length < quota.limit)
        if (admitted) for (const { times } of counted) times.push(now)
        return { admitted, states: counted.map(({ quota, times }) => quotaState(quota, times, now)), now }
      })
  })
}
