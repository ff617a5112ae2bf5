import { Effect } from "effect"
import { type QuotaState, RateLimits } from "../limits/RateLimits.ts"

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
        const states = counted.map(({ quota, times }): QuotaState => {
          const oldest = times[0]
          const resetsAt =
            quota.kind === "sliding" && oldest !== undefined ? oldest + (now - quota.since) : quota.resetsAt
          return { remaining: quota.limit - times.length, resetsAt }
        })
        return { admitted, states }
      })
  })
}
