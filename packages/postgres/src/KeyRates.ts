import type { KeyRateLimits } from "@gatewarden/contract"
import { KeyRates, LedgerClock } from "@gatewarden/core/effect"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { repeating, retrying, writing } from "./statements.ts"

const most = (limit: KeyRateLimits[keyof KeyRateLimits]): bigint | null => (limit === null ? null : BigInt(limit))

export const keyRates = Effect.map(SqlClient.SqlClient, (sql) => {
  /** `null`: the database's clock once the key is locked, so that the order of instants is the order of decisions. */
  const clock = Effect.flatMap(LedgerClock, (kind) =>
    kind === "database"
      ? Effect.succeed(null)
      : Effect.map(Clock.currentTimeMillis, (now) => new Date(now).toISOString())
  )

  return KeyRates.of({
    admit: Effect.fnUntraced(function* (account_id, { admission_id, key_hash, limits, tokens, hold_seconds }) {
      const now = yield* clock
      const [row] = yield* sql<{
        admitted: boolean
        requests: bigint
        tokens: bigint
        parallel: bigint
        resets_at: bigint | null
      }>`
        select * from gatewarden_admit_key(${account_id}::uuid, ${key_hash}, ${admission_id}, ${now}::timestamptz,
          ${hold_seconds}::int, ${BigInt(tokens)}::bigint, ${most(limits.requests_per_minute)}::bigint,
          ${most(limits.tokens_per_minute)}::bigint, ${most(limits.parallel_requests)}::bigint)`.pipe(retrying, writing)
      const use = row ?? { admitted: false, requests: 0n, tokens: 0n, parallel: 0n, resets_at: null }
      return {
        admitted: use.admitted,
        use: {
          requests: Number(use.requests),
          tokens: Number(use.tokens),
          parallel: Number(use.parallel),
          resets_at: use.resets_at === null ? null : Number(use.resets_at)
        }
      }
    }),
    renew: Effect.fnUntraced(function* (account_id, admission_id, hold_seconds) {
      const now = yield* clock
      yield* sql`
        update gatewarden_key_admission
        set expires_at = coalesce(${now}::timestamptz, now()) + ${hold_seconds}::int * interval '1 second'
        where admission_id = ${admission_id} and account_id = ${account_id}::uuid and is_open
          and expires_at > coalesce(${now}::timestamptz, now())`.pipe(repeating, writing)
    }),
    finish: (account_id, admission_id, tokens) =>
      sql`
        update gatewarden_key_admission
        set is_open = false, tokens = coalesce(${tokens === undefined ? null : BigInt(tokens)}::bigint, tokens)
        where admission_id = ${admission_id} and account_id = ${account_id}::uuid and is_open`.pipe(
        repeating,
        writing,
        Effect.asVoid
      ),
    withdraw: (account_id, admission_id) =>
      sql`
        delete from gatewarden_key_admission
        where admission_id = ${admission_id} and account_id = ${account_id}::uuid`.pipe(
        repeating,
        writing,
        Effect.asVoid
      )
  })
})
