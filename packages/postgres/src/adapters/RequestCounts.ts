import { type Quota, RequestCounts, quotaState } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { batched } from "../statements/coalesce.ts"
import { arrayLiteral } from "../statements/literals.ts"
import { askedInstant, writing } from "../statements/statements.ts"

interface CountedRow {
  readonly asked_bucket: string
  readonly admitted: number
  readonly counted: readonly bigint[]
  readonly at_millis: bigint
}

export const requestCounts = Effect.map(SqlClient.SqlClient, (sql) => {
  /** Requests that come while those before them are counted are counted together: each commit writes the same row. */
  const consume = batched(
    Effect.fnUntraced(function* (all: readonly (readonly Quota[])[]) {
      const [quotas = []] = all
      const asked_at = yield* askedInstant
      const windows = quotas.map(({ window }) => (window.kind === "sliding" ? BigInt(window.millis) : null))
      const rows = yield* sql<CountedRow>`
        select * from gatewarden_count_request(${arrayLiteral(quotas.map((quota) => quota.bucket))}::text[],
          ${quotas.map((quota) => quota.limit)}::integer[], ${arrayLiteral(windows)}::bigint[], ${asked_at}::timestamptz,
          ${all.length}::int)`
      const now = Number(rows[0]?.at_millis ?? 0)
      const admitted = Math.min(...rows.map((row) => row.admitted))
      const byBucket = new Map(rows.map((row) => [row.asked_bucket, row.counted.map(Number)]))
      return all.map((_, place) => {
        // Of those that are counted together, each sees itself and those before it.
        const later = Math.max(0, admitted - place - 1)
        return {
          admitted: place < admitted,
          states: quotas.map((quota) => {
            const counted = byBucket.get(quota.bucket) ?? []
            return quotaState(quota, counted.slice(0, counted.length - later), now)
          }),
          now
        }
      })
    })
  )
  return RequestCounts.of({ consume: (quotas) => writing(consume(JSON.stringify(quotas), quotas)) })
})
