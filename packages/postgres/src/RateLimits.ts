import { type QuotaState, RateLimits } from "@gatewarden/core/effect"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { writing } from "./statements.ts"

export const rateLimits = Effect.map(SqlClient.SqlClient, (sql) =>
  RateLimits.of({
    consume: (quotas, now) =>
      Effect.gen(function* () {
        // Rows are locked in one order, whatever order the quotas come in.
        const buckets = quotas.map((quota) => quota.bucket).sort()
        yield* sql`
          insert into gatewarden_rate_limit (bucket, times)
          select bucket, '{}' from unnest(${buckets}::text[]) as asked (bucket) order by bucket
          on conflict (bucket) do nothing`
        const rows = yield* sql<{ bucket: string; times: readonly bigint[] }>`
          select bucket, times from gatewarden_rate_limit where bucket = any(${buckets}::text[]) order by bucket for update`
        const stored = new Map(rows.map((row) => [row.bucket, row.times.map(Number)]))
        const counted = quotas.map((quota) => {
          const inWindow = (at: number) => (quota.kind === "sliding" ? at > quota.since : at >= quota.since)
          return { quota, times: (stored.get(quota.bucket) ?? []).filter(inWindow) }
        })
        const admitted = counted.every(({ quota, times }) => times.length < quota.limit)
        if (admitted)
          for (const { quota, times } of counted) {
            times.push(now)
            yield* sql`update gatewarden_rate_limit set times = ${times.map(BigInt)}::bigint[] where bucket = ${quota.bucket}`
          }
        const states = counted.map(({ quota, times }): QuotaState => {
          const oldest = times[0]
          const resetsAt =
            quota.kind === "sliding" && oldest !== undefined ? oldest + (now - quota.since) : quota.resetsAt
          return { remaining: quota.limit - times.length, resetsAt }
        })
        return { admitted, states }
      }).pipe(sql.withTransaction, writing)
  })
)
