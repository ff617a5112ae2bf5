/** Keys that are about to expire. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { newTenant } from "../delivery/waitingEvents.ts"
import { alerts, type AlertsUnderTest, day, iso, listed, newChannel, newKey } from "./alertsUnderTest.ts"

export const testExpiringKeys = ({ clock, test }: AlertsUnderTest): void => {
  test("keys alert a week and a day before they expire, found by many at once", (tenant, now) =>
    Effect.gen(function* () {
      const other = yield* newTenant
      yield* newChannel(tenant)
      const hash = yield* newKey(tenant, now - day, now + 30 * day)
      yield* newKey(tenant, now, now + 15 * 60_000)
      yield* newKey(tenant, now - 3 * day, now + 2 * day)
      yield* newKey(tenant, now - 60 * day, now - 1)
      yield* newKey(tenant, now - 60 * day, now + 2 * day, { disabled: true })
      yield* newKey(other, now - 60 * day, now + 2 * day)
      const detect = Effect.map(
        Effect.all(
          Array.from({ length: 5 }, () => alerts((port) => port.detect(100))),
          { concurrency: "unbounded" }
        ),
        (raised) => raised.reduce((sum, one) => sum + one, 0)
      )
      assert.strictEqual(yield* detect, 0)
      clock.now = now + 23 * day
      assert.strictEqual(yield* detect, 1)
      const [week] = yield* listed(tenant)
      assert.deepInclude(week, {
        type: "key.expiring",
        subject: hash,
        data: { key_hash: hash, key_name: "job", expires_at: iso(now + 30 * day), days: 7 }
      })
      clock.now = now + 28 * day
      assert.strictEqual(yield* detect, 0)
      clock.now = now + 29 * day
      assert.strictEqual(yield* detect, 1)
      clock.now = now + 31 * day
      assert.strictEqual(yield* detect, 0)
      assert.deepEqual(
        (yield* listed(tenant)).map(({ data }) => data["days"]),
        [7, 1]
      )
      assert.deepEqual(yield* listed(other), [])
    }))

  test("a key that is due to expire when the first channel is made alerts then, at most so many at once", (tenant, now) =>
    Effect.gen(function* () {
      for (let count = 0; count < 3; count++) yield* newKey(tenant, now - 60 * day, now + 3 * day)
      assert.strictEqual(yield* alerts((port) => port.detect(100)), 0)
      yield* newChannel(tenant)
      assert.strictEqual(yield* alerts((port) => port.detect(2)), 2)
      assert.strictEqual(yield* alerts((port) => port.detect(2)), 1)
      assert.strictEqual(yield* alerts((port) => port.detect(2)), 0)
    }))
}
