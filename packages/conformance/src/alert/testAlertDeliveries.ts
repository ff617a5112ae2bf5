/** Deliveries of alerts: leases, retries, ends, and how long they are kept. */
import { AlertChannels, Retention } from "@gatewarden/core/store"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import {
  type AlertsUnderTest,
  claimOf,
  day,
  delivered,
  deny,
  iso,
  leaseSeconds,
  listed,
  newChannel,
  retried,
  acknowledge
} from "./alertsUnderTest.ts"

export const testAlertDeliveries = ({ clock, test }: AlertsUnderTest): void => {
  test("a delivery has one holder at a time, and another one after its lease", (tenant, now) =>
    Effect.gen(function* () {
      const channel_id = yield* newChannel(tenant)
      yield* deny(tenant)
      const claims = yield* Effect.all(
        Array.from({ length: 10 }, () => claimOf(tenant)),
        { concurrency: "unbounded" }
      )
      const [first, ...others] = claims.flat()
      assert.deepEqual(others, [])
      assert.deepInclude(first, { attempts: 0, age_seconds: 0 })
      assert.strictEqual(first?.channel.channel.id, channel_id)
      assert.deepEqual([...(first?.channel.sealed_config ?? [])], [1])
      clock.now = now + leaseSeconds * 1_000
      const [second] = yield* claimOf(tenant)
      assert.strictEqual(second?.alert.id, first?.alert.id)
      if (first === undefined || second === undefined) return yield* Effect.die(new Error("Nothing is due"))
      assert.isFalse(yield* acknowledge(first, delivered))
      assert.isTrue(yield* acknowledge(second, delivered))
      assert.isFalse(yield* acknowledge(second, retried))
      clock.now = now + day
      assert.deepEqual(yield* claimOf(tenant), [])
      assert.deepEqual((yield* listed(tenant))[0]?.deliveries, [
        {
          channel_id,
          status: "delivered",
          attempts: 1,
          next_attempt_at: null,
          last_attempt_at: iso(now + leaseSeconds * 1_000),
          last_status: 204,
          last_message: "Not to all addresses."
        }
      ])
    }))

  test("a failure postpones what waits for the channel, and nothing else", (tenant, now) =>
    Effect.gen(function* () {
      const one = yield* newChannel(tenant)
      yield* deny(tenant)
      const [turn] = yield* claimOf(tenant)
      if (turn === undefined) return yield* Effect.die(new Error("Nothing is due"))
      const two = yield* newChannel(tenant)
      yield* deny(tenant, 101n)
      assert.isTrue(yield* acknowledge(turn, retried))
      const others = yield* claimOf(tenant)
      assert.deepEqual(
        others.map(({ channel }) => channel.channel.id),
        [two]
      )
      clock.now = now + 60_000
      const later = yield* claimOf(tenant)
      assert.deepEqual(
        later
          .filter(({ channel }) => channel.channel.id === one)
          .map(({ attempts }) => attempts)
          .sort(),
        [0, 1]
      )
      const again = later.find(({ attempts }) => attempts === 1)
      if (again === undefined) return yield* Effect.die(new Error("It is not repeated"))
      assert.isTrue(yield* acknowledge(again, { ...retried, kind: "failed" }))
      const alert = (yield* listed(tenant)).find(({ id }) => id === again.alert.id)
      const failed = alert?.deliveries.find(({ channel_id }) => channel_id === one)
      assert.deepInclude(failed, { status: "failed", attempts: 2, next_attempt_at: null, last_status: 500 })
    }))

  test("what waits for a channel that is disabled or deleted ends", (tenant) =>
    Effect.gen(function* () {
      const channels = yield* AlertChannels
      const [disabled, deleted] = [yield* newChannel(tenant), yield* newChannel(tenant)]
      yield* deny(tenant)
      yield* channels.update(tenant.account_id, disabled, { enabled: false }, undefined, iso(clock.now))
      yield* channels.remove(tenant.account_id, deleted)
      assert.deepEqual(yield* claimOf(tenant), [])
      const found = (yield* listed(tenant))[0]?.deliveries ?? []
      assert.deepEqual(
        new Map(found.map(({ channel_id, status, last_message }) => [channel_id, `${status}: ${last_message}`])),
        new Map([
          [disabled, "failed: The channel was disabled."],
          [deleted, "failed: The channel was deleted."]
        ])
      )
    }))

  test("alerts are forgotten after their time, with their deliveries", (tenant, now) =>
    Effect.gen(function* () {
      yield* newChannel(tenant)
      yield* deny(tenant)
      const retention = yield* Retention
      clock.now = now + 10 * day
      yield* retention.sweep("alerts", 11 * 86_400, 1_000)
      assert.lengthOf(yield* listed(tenant), 1)
      assert.isAtLeast(yield* retention.sweep("alerts", 9 * 86_400, 1_000), 1)
      assert.deepEqual(yield* listed(tenant), [])
      assert.deepEqual(yield* claimOf(tenant), [])
    }))
}
