/** Keys that are about to expire. */
import { AlertChannels, ApiKeys, expiryDays, Retention } from "@gatewarden/core/internal"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { newDestination, newTenant } from "../delivery/waitingEvents.ts"
import {
  alerts,
  type AlertsUnderTest,
  day,
  iso,
  listed,
  newChannel,
  newKey,
  refuseEvent,
  start
} from "./alertsUnderTest.ts"

export const testExpiringKeys = ({ clock, run, test }: AlertsUnderTest): void => {
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

  test("many keys of one account delay the alerts of another by no more than a batch", (tenant, now) =>
    Effect.gen(function* () {
      const other = yield* newTenant
      const channel = yield* newChannel(tenant)
      yield* newChannel(other)
      yield* Effect.forEach(Array.from({ length: 2_000 }), () => newKey(tenant, now - 60 * day, now + 3 * day), {
        concurrency: 20,
        discard: true
      })
      const detect = alerts((port) => port.detect(100))
      const kinds = Effect.map(listed(other), (all) => all.map(({ type }) => type).sort())
      assert.strictEqual(yield* detect, 100)
      yield* newKey(other, now - 60 * day, now + 3 * day)
      yield* refuseEvent(other, yield* newDestination(other), now)
      let raised = 100 + (yield* detect)
      assert.deepEqual(yield* kinds, ["destination.dead_letters", "key.expiring"])
      let batches = 2
      for (let more = yield* detect; more > 0; more = yield* detect) {
        raised += more
        batches++
      }
      assert.strictEqual(raised, 2_002)
      assert.isAtMost(batches, 21)
      assert.lengthOf(yield* kinds, 2)
      // Other tests turn the clock back, and count what is recorded.
      yield* (yield* AlertChannels).remove(tenant.account_id, channel)
      clock.now = now + 1
      yield* (yield* Retention).sweep("alerts", 0, 10_000)
    }))

  it("each notice is given once, while the key is enabled and somebody hears of it", async () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 4, arbitrary: fc.record({ lives: fc.constantFrom(0.5, 1, 1.5, 6, 7, 8, 9) }) },
        { weight: 6, arbitrary: fc.record({ passes: fc.constantFrom(0.25, 0.5, 1, 2, 6) }) },
        { weight: 2, arbitrary: fc.record({ key: fc.nat({ max: 3 }), disabled: fc.boolean() }) },
        { weight: 2, arbitrary: fc.record({ hears: fc.boolean() }) }
      ),
      { minLength: 6, maxLength: 20, size: "max" }
    )
    clock.now = start
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        const tenant = await run(newTenant)
        const channel = await run(newChannel(tenant, { enabled: false }))
        const keys: { hash: string; created: number; expires: number; disabled: boolean }[] = []
        let isHeard = false
        const expected = new Set<string>()
        for (const step of steps) {
          if ("passes" in step) clock.now += step.passes * day
          else if ("hears" in step) {
            isHeard = step.hears
            const change = { enabled: isHeard }
            const { account_id } = tenant
            await run(
              Effect.flatMap(AlertChannels, (port) =>
                port.update(account_id, channel, change, undefined, iso(clock.now))
              )
            )
          } else if ("lives" in step) {
            const [created, expires] = [clock.now, clock.now + step.lives * day]
            keys.push({ hash: await run(newKey(tenant, created, expires)), created, expires, disabled: false })
          } else {
            const key = keys[step.key]
            if (key === undefined) continue
            const { disabled } = step
            key.disabled = disabled
            await run(
              Effect.flatMap(ApiKeys, (port) => port.update(tenant.account_id, key.hash, { disabled }, iso(clock.now)))
            )
          }
          await run(alerts((port) => port.detect(1_000)))
          for (const { hash, created, expires, disabled } of keys) {
            const left = expires - clock.now
            const days = expiryDays.findLast((days) => left > 0 && left <= days * day && expires - created > days * day)
            if (isHeard && !disabled && days !== undefined) expected.add(`${hash} ${days}`)
          }
        }
        await run(Effect.flatMap(AlertChannels, (port) => port.remove(tenant.account_id, channel)))
        const found = (await run(listed(tenant))).map(({ subject, data }) => `${subject} ${String(data["days"])}`)
        assert.deepEqual([...found].sort(), [...expected].sort())
      }),
      { numRuns: 40 }
    )
  })
}
