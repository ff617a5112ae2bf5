import { Clock, Effect, Option } from "effect"
import { IdempotencyRecords, type IdempotencyScope, idempotencyLifetimeMillis } from "../ports/idempotency.ts"
import { onSweep, sweepMap } from "./tables/sweeps.ts"
import type { Tables } from "./tables/Tables.ts"

export const idempotencyRecords = ({ idempotencyRecords: records, sweeps }: Tables) => {
  onSweep(
    sweeps,
    "idempotency_records",
    sweepMap(records, ({ until }, before) => until < before)
  )
  const keyOf = (scope: IdempotencyScope) => JSON.stringify([scope.account_id, scope.key_hash, scope.request_hash])
  const isHeld = (scope: IdempotencyScope, token: string): boolean => {
    const record = records.get(keyOf(scope))
    return record?.token === token && record.answer === undefined
  }
  return IdempotencyRecords.of({
    claim: (scope, token, leaseMillis) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const record = records.get(keyOf(scope))
        if (record === undefined || record.until <= now) {
          for (const [key, { until }] of records)
            if (until <= now) records.delete(key)
            else break
          records.set(keyOf(scope), { scope, token, until: now + leaseMillis, answer: undefined })
          return { kind: "claimed", token }
        }
        return record.answer === undefined ? { kind: "in_flight" } : { kind: "answered", answer: record.answer }
      }),
    renew: (scope, token, leaseMillis) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (isHeld(scope, token))
          records.set(keyOf(scope), { scope, token, until: now + leaseMillis, answer: undefined })
      }),
    complete: (scope, token, work) =>
      Effect.gen(function* () {
        if (!isHeld(scope, token)) return Option.none()
        const done = yield* work
        const now = yield* Clock.currentTimeMillis
        records.set(keyOf(scope), { scope, token, until: now + idempotencyLifetimeMillis, answer: done.kept })
        return Option.some(done)
      }),
    release: (scope, token) =>
      Effect.sync(() => {
        if (isHeld(scope, token)) records.delete(keyOf(scope))
      })
  })
}
