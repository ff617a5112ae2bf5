import { type Quota, type QuotaState, RateLimits } from "@gatewarden/core/effect"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { writing } from "./statements.ts"

/** The last instant that lies before the window. */
const lastOutside = ({ kind, since }: Quota): number => (kind === "sliding" ? since : since - 1)

export const rateLimits = Effect.map(SqlClient.SqlClient, (sql) =>
  RateLimits.of({
    consume: (quotas, now) =>
      Effect.gen(function* () {
        const rows = yield* sql<{ asked_bucket: string; admitted: boolean; counted: readonly bigint[] }>`
          select * from gatewarden_consume(${quotas.map((quota) => quota.bucket)}::text[],
            ${quotas.map((quota) => quota.limit)}::integer[], ${quotas.map((quota) => BigInt(lastOutside(quota)))}::bigint[],
            ${BigInt(now)}::bigint)`
        const byBucket = new Map(rows.map((row) => [row.asked_bucket, row.counted.map(Number)]))
        const counted = quotas.map((quota) => ({ quota, times: byBucket.get(quota.bucket) ?? [] }))
        const admitted = rows.every((row) => row.admitted)
        const states = counted.map(({ quota, times }): QuotaState => {
          const oldest = times[0]
          const resetsAt =
            quota.kind === "sliding" && oldest !== undefined ? oldest + (now - quota.since) : quota.resetsAt
          return { remaining: quota.limit - times.length, resetsAt }
        })
        return { admitted, states }
      }).pipe(writing)
  })
)
