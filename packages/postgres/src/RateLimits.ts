import { type Quota, quotaState, RateLimits } from "@gatewarden/core/effect"
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
        const admitted = rows.every((row) => row.admitted)
        const states = quotas.map((quota) => quotaState(quota, byBucket.get(quota.bucket) ?? [], now))
        return { admitted, states }
      }).pipe(writing)
  })
)
