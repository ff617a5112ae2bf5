import { Effect } from "effect"
import {
  type IdempotencyAnswer,
  IdempotencyRecords,
  type IdempotencyScope,
  idempotencyLifetimeMillis
} from "../idempotency/IdempotencyRecords.ts"

interface Record {
  readonly token: string
  readonly until: number
  readonly answer: IdempotencyAnswer | undefined
}

export const idempotencyRecords = () => {
  const records = new Map<string, Record>()
  const keyOf = (scope: IdempotencyScope) =>
    JSON.stringify([scope.account_id, scope.key_hash, scope.route, scope.idempotency_key])
  return IdempotencyRecords.of({
    claim: (scope, token, now, leaseUntil) =>
      Effect.sync(() => {
        const record = records.get(keyOf(scope))
        if (record === undefined || record.until <= now) {
          records.set(keyOf(scope), { token, until: leaseUntil, answer: undefined })
          return { kind: "claimed", token }
        }
        return record.answer === undefined ? { kind: "in_flight" } : { kind: "answered", answer: record.answer }
      }),
    complete: (scope, token, answer, now) =>
      Effect.sync(() => {
        if (records.get(keyOf(scope))?.token !== token) return
        records.set(keyOf(scope), { token, until: now + idempotencyLifetimeMillis, answer })
      }),
    release: (scope, token) =>
      Effect.sync(() => {
        if (records.get(keyOf(scope))?.token === token) records.delete(keyOf(scope))
      })
  })
}
