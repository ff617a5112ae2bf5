import { Effect } from "effect"
import { quotaState } from "../limits/quotaState.ts"
import { RateLimits } from "../limits/RateLimits.ts"

export const rateLimits = () => {
  const requests = new Map<string, number[]>()
  return RateLimits.of({
    consume: (quotas, now) =>
      Effect.sync(() => {
        const counted = quotas.map((quota) => {
          const inWindow = (at: number) => (quota.kind === "sliding" ? at > quota.since : at >= quota.since)
          const times = (requests.get(quota.bucket) ?? []).filter(inWindow)
          requests.set(quota.bucket, times)
          return { quota, times }
        })
        const admitted = counted.every(({ quota, times }) => times.length < quota.limit)
        if (admitted) for (const { times } of counted) times.push(now)
        return { admitted, states: counted.map(({ quota, times }) => quotaState(quota, times, now)) }
      })
  })
}
