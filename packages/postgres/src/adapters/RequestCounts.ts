import { RequestCounts, quotaState } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { arrayLiteral } from "../statements/literals.ts"
import { askedInstant, writing } from "../statements/statements.ts"

interface CountedRow {
  readonly asked_bucket: string
  readonly admitted: boolean
  readonly counted: readonly bigint[]
  readonly at_millis: bigint
}

export const requestCounts = Effect.map(SqlClient.SqlClient, (sql) =>
  RequestCounts.of({
    consume: (quotas) =>
      Effect.gen(function* () {
        const asked_at = yield* askedInstant
        const windows = quotas.map(({ window }) => (window.kind === "sliding" ? BigInt(window.millis) : null))
        const rows = yield* sql<CountedRow>`
          select * from gatewarden_count_request(${arrayLiteral(quotas.map((quota) => quota.bucket))}::text[],
            ${quotas.map((quota) => quota.limit)}::integer[], ${arrayLiteral(windows)}::bigint[], ${asked_at}::timestamptz)`
        const now = Number(rows[0]?.at_millis ?? 0)
        const byBucket = new Map(rows.map((row) => [row.asked_bucket, row.counted.map(Number)]))
        return {
          admitted: rows.every((row) => row.admitted),
          states: quotas.map((quota) => quotaState(quota, byBucket.get(quota.bucket) ?? [], now)),
          now
        }
      }).pipe(writing)
  })
)
