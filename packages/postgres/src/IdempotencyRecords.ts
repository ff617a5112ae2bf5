import {
  type Claim,
  IdempotencyRecords,
  type IdempotencyScope,
  idempotencyLifetimeMillis
} from "@gatewarden/core/effect"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { writing } from "./statements.ts"

interface Row {
  readonly token: string
  readonly body_hash: string | null
  readonly status: number | null
  readonly sealed: Uint8Array | null
}

export const idempotencyRecords = Effect.map(SqlClient.SqlClient, (sql) => {
  const same = (scope: IdempotencyScope) =>
    sql.and(Object.entries(scope).map(([name, value]) => sql`${sql(name)} = ${value}`))
  return IdempotencyRecords.of({
    claim: (scope, token, now, leaseUntil) =>
      Effect.gen(function* () {
        const claimed = yield* sql`
          insert into gatewarden_idempotency_record as held ${sql.insert({ ...scope, token, until: leaseUntil })}
          on conflict (account_id, key_hash, route, idempotency_key) do update
            set token = excluded.token, until = excluded.until, body_hash = null, status = null, sealed = null
            where held.until <= ${now}
          returning token`
        if (claimed.length > 0) return { kind: "claimed", token } satisfies Claim
        const rows = yield* sql<Row>`
          select token, body_hash, status, sealed from gatewarden_idempotency_record where ${same(scope)}`
        const row = rows[0]
        if (row === undefined || row.body_hash === null || row.status === null || row.sealed === null)
          return { kind: "in_flight" } satisfies Claim
        const { body_hash, status, sealed } = row
        return { kind: "answered", answer: { body_hash, status, sealed } } satisfies Claim
      }).pipe(writing),
    complete: (scope, token, answer, now) =>
      Effect.gen(function* () {
        const until = now + idempotencyLifetimeMillis
        yield* sql`
          update gatewarden_idempotency_record set ${sql.update({ ...answer, until })} where ${same(scope)} and token = ${token}`
        // Forgotten answers go a few at a time, so that no request pays for a day's worth.
        yield* sql`
          delete from gatewarden_idempotency_record where ctid = any(array(
            select ctid from gatewarden_idempotency_record where until <= ${now} order by until limit 16))`
      }).pipe(writing),
    release: (scope, token) =>
      writing(Effect.asVoid(sql`delete from gatewarden_idempotency_record where ${same(scope)} and token = ${token}`))
  })
})
