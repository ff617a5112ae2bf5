import {
  type Claim,
  IdempotencyRecords,
  type IdempotencyScope,
  idempotencyLifetimeMillis
} from "@gatewarden/core/internal"
import { Data, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { enclosedBy, instantIn, writing } from "../statements/statements.ts"

/** Undoes the work of a holder that was too slow. */
class ClaimLost extends Data.TaggedError("ClaimLost")<{}> {}
const isClaimLost = (error: unknown): error is ClaimLost => error instanceof ClaimLost

interface Row {
  readonly token: string
  readonly body_hash: string | null
  readonly status: number | null
  /** The first piece. */
  readonly sealed: Uint8Array | null
  readonly size: number | null
}

/** The driver refuses a message of 16 MiB, in which a byte takes two characters. */
const pieceBytes = 4 * 1_048_576

export const idempotencyRecords = Effect.map(SqlClient.SqlClient, (sql) => {
  const same = (scope: IdempotencyScope) =>
    sql.and(Object.entries(scope).map(([name, value]) => sql`${sql(name)} = ${value}`))
  const held = (scope: IdempotencyScope, token: string) =>
    sql.and([same(scope), sql`token = ${token}`, sql`body_hash is null`])
  /** Epoch milliseconds so many after now, by the database's clock. */
  const inMillis = (millis: number) =>
    Effect.map(
      instantIn(sql),
      (now) => sql`(floor(extract(epoch from ${now}) * 1000)::bigint + ${BigInt(millis)}::bigint)`
    )
  /** Answers whose time is over go a few at a time, so that no request pays for a day's worth. */
  const forget = Effect.gen(function* () {
    yield* sql`
      delete from gatewarden_idempotency_record where ctid = any(array(
        select ctid from gatewarden_idempotency_record where until <= ${yield* inMillis(0)}
        order by until limit 16 for update skip locked))`
  })
  const piece = (from: number) => sql`substring(sealed from ${from + 1}::int for ${pieceBytes}::int) as sealed`
  /** The whole answer; undefined where it was forgotten while it was read. */
  const wholeOf = Effect.fnUntraced(function* (
    scope: IdempotencyScope,
    token: string,
    first: Uint8Array,
    size: number
  ) {
    if (first.length === size) return first
    const whole = new Uint8Array(size)
    whole.set(first)
    for (let from = first.length; from < size; from += pieceBytes) {
      const [row] = yield* sql<Pick<Row, "sealed">>`
        select ${piece(from)} from gatewarden_idempotency_record where ${same(scope)} and token = ${token}`
      if (row === undefined || row.sealed === null) return undefined
      whole.set(row.sealed, from)
    }
    return whole
  })
  return IdempotencyRecords.of({
    claim: (scope, token, leaseMillis) =>
      Effect.gen(function* () {
        const claimed = yield* sql`
          insert into gatewarden_idempotency_record as held (account_id, key_hash, request_hash, token, until)
          values (${scope.account_id}, ${scope.key_hash}, ${scope.request_hash}, ${token}, ${yield* inMillis(leaseMillis)})
          on conflict (account_id, key_hash, request_hash) do update
            set token = excluded.token, until = excluded.until, body_hash = null, status = null, sealed = null
            where held.until <= ${yield* inMillis(0)}
          returning token`
        if (claimed.length > 0) return { kind: "claimed", token } satisfies Claim
        const rows = yield* sql<Row>`
          select token, body_hash, status, octet_length(sealed) as size, ${piece(0)}
          from gatewarden_idempotency_record where ${same(scope)}`
        const row = rows[0]
        if (row === undefined || row.body_hash === null || row.status === null || row.sealed === null)
          return { kind: "in_flight" } satisfies Claim
        const { body_hash, status } = row
        const sealed = yield* wholeOf(scope, row.token, row.sealed, row.size ?? 0)
        if (sealed === undefined) return { kind: "in_flight" } satisfies Claim
        return { kind: "answered", answer: { body_hash, status, sealed } } satisfies Claim
      }).pipe(
        writing,
        // Before the quota is asked: an account at its quota goes on when its oldest answers have ended.
        Effect.tap(({ kind }) => (kind === "claimed" ? Effect.ignoreCause(forget) : Effect.void))
      ),
    renew: (scope, token, leaseMillis) =>
      writing(
        Effect.flatMap(
          inMillis(leaseMillis),
          (until) => sql`update gatewarden_idempotency_record set until = ${until} where ${held(scope, token)}`
        )
      ).pipe(Effect.asVoid),
    complete: (scope, token, work) => {
      return Effect.gen(function* () {
        const done = yield* enclosedBy(sql)(work)
        const rows = yield* sql`
          update gatewarden_idempotency_record
          set ${sql.update({ ...done.kept })}, until = ${yield* inMillis(idempotencyLifetimeMillis)} where ${held(scope, token)}
          returning token`
        return rows.length === 0 ? yield* new ClaimLost() : Option.some(done)
      }).pipe(
        sql.withTransaction,
        Effect.catchIf(isClaimLost, () => Effect.succeed(Option.none())),
        writing
      )
    },
    release: (scope, token) =>
      writing(Effect.asVoid(sql`delete from gatewarden_idempotency_record where ${held(scope, token)}`))
  })
})
