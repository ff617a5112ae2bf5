import type { KeyRateLimits } from "@gatewarden/contract"
import { KeyRateCounts, type KeyRateUse, rateSpanMillis } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { askedInstant, reading, repeating, retrying, writing } from "../statements/statements.ts"

interface UseRow {
  readonly requests: bigint
  readonly tokens: bigint
  readonly parallel: bigint
  readonly resets_at: bigint | null
}

const unused: UseRow = { requests: 0n, tokens: 0n, parallel: 0n, resets_at: null }

const useOf = ({ requests, tokens, parallel, resets_at }: UseRow): KeyRateUse => ({
  requests: Number(requests),
  tokens: Number(tokens),
  parallel: Number(parallel),
  resets_at: resets_at === null ? null : Number(resets_at)
})

const most = (limit: KeyRateLimits[keyof KeyRateLimits]): bigint | null => (limit === null ? null : BigInt(limit))

export const keyRateCounts = Effect.map(SqlClient.SqlClient, (sql) => {
  return KeyRateCounts.of({
    // The database's clock is read once the key is locked, so that the order of instants is the order of decisions.
    admit: Effect.fnUntraced(function* (account_id, { admission_id, key_hash, limits, tokens, hold_seconds }) {
      const now = yield* askedInstant
      const [row] = yield* sql<UseRow & { readonly admitted: boolean }>`
        select * from gatewarden_admit_key(${account_id}::uuid, ${key_hash}, ${admission_id}, ${now}::timestamptz,
          ${hold_seconds}::int, ${BigInt(tokens)}::bigint, ${most(limits.requests_per_minute)}::bigint,
          ${most(limits.tokens_per_minute)}::bigint, ${most(limits.parallel_requests)}::bigint)`.pipe(retrying, writing)
      return { admitted: row?.admitted ?? false, use: useOf(row ?? unused) }
    }),
    use: Effect.fnUntraced(function* (account_id, key_hash) {
      const now = yield* askedInstant
      const [row] = yield* sql<UseRow>`
        select count(*) filter (where is_recent) as requests,
          coalesce(sum(tokens) filter (where is_recent), 0)::bigint as tokens,
          count(*) filter (where is_open and expires_at > at) as parallel,
          ceil(extract(epoch from min(admitted_at) filter (where is_recent)) * 1000)::bigint + ${rateSpanMillis}::int as resets_at
        from (
          select a.*, n.at, a.admitted_at > n.at - ${rateSpanMillis}::int * interval '1 millisecond' as is_recent
          from gatewarden_key_admission a cross join (select coalesce(${now}::timestamptz, now()) as at) n
          where a.account_id = ${account_id}::uuid and a.key_hash = ${key_hash}
        ) counted`.pipe(reading)
      return useOf(row ?? unused)
    }),
    renew: Effect.fnUntraced(function* (account_id, admission_id, hold_seconds) {
      const now = yield* askedInstant
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
