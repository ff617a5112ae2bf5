/** Deliveries of alerts are shared: many channels of one account, or many that fail, hold up nobody else's. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { newTenant } from "../delivery/waitingEvents.ts"
import {
  alerts,
  type AlertsUnderTest,
  deny,
  leaseSeconds,
  newChannel,
  retried,
  acknowledge,
  wantedOfAll
} from "./alertsUnderTest.ts"

const none = { most: 0 }

/** Puts under leases what other tests left. */
const claimed = Effect.gen(function* () {
  while ((yield* alerts((port) => port.claim(wantedOfAll, leaseSeconds))).length > 0);
})

export const testAlertShares = ({ clock, test }: AlertsUnderTest): void => {
  test("an account gets its share of a claim, and who comes later theirs", (tenant) =>
    Effect.gen(function* () {
      yield* claimed
      for (let count = 0; count < 5; count++) yield* newChannel(tenant)
      yield* deny(tenant)
      clock.now += 10
      const other = yield* newTenant
      const late = yield* newChannel(other)
      yield* deny(other)
      const claim = (most: number, ofAccount: number, ofHolders?: ReadonlyMap<string, number>) =>
        alerts((port) =>
          port.claim(
            { well: { most, ofAccount, ...(ofHolders && { ofHolders }) }, failing: none, busy: new Set() },
            leaseSeconds
          )
        )
      const turns = yield* claim(4, 2)
      assert.deepEqual(
        turns.map(({ account_id }) => account_id).sort(),
        [tenant.account_id, tenant.account_id, other.account_id].sort()
      )
      assert.include(
        turns.map(({ channel }) => channel.channel.id),
        late
      )
      assert.isEmpty(yield* claim(4, 2, new Map([[tenant.account_id, 0]])))
      assert.lengthOf(yield* claim(4, 4), 3)
    }))

  test("of a channel a claim takes a few, and none while some are under way", (tenant) =>
    Effect.gen(function* () {
      yield* claimed
      const channel = yield* newChannel(tenant)
      for (let limit = 100n; limit < 105n; limit++) yield* deny(tenant, limit)
      const claim = (busy: readonly string[]) =>
        alerts((port) => port.claim({ well: { most: 9 }, failing: none, busy: new Set(busy) }, leaseSeconds))
      assert.isEmpty(yield* claim([channel]))
      assert.lengthOf(yield* claim([]), 3)
      assert.lengthOf(yield* claim([]), 2)
    }))

  test("a channel whose last attempt failed has other slots until one arrives", (tenant) =>
    Effect.gen(function* () {
      yield* claimed
      const one = yield* newChannel(tenant)
      yield* deny(tenant)
      const claim = (well: number, failing: number) =>
        alerts((port) =>
          port.claim({ well: { most: well }, failing: { most: failing }, busy: new Set() }, leaseSeconds)
        )
      const [first] = yield* claim(9, 0)
      if (first === undefined) return yield* Effect.die(new Error("Nothing is due"))
      assert.isFalse(first.is_failing)
      yield* acknowledge(first, retried)
      yield* newChannel(tenant)
      yield* deny(tenant, 101n)
      const well = yield* claim(9, 0)
      assert.notInclude(
        well.map(({ channel }) => channel.channel.id),
        one
      )
      assert.lengthOf(well, 1)
      const failing = yield* claim(0, 9)
      assert.deepEqual(
        failing.map(({ channel, is_failing }) => [channel.channel.id, is_failing]),
        [[one, true]]
      )
    }))

  test("accounts behind a thousand deliveries of one that has no share are seen", (tenant) =>
    Effect.gen(function* () {
      yield* claimed
      for (let count = 0; count < 20; count++) yield* newChannel(tenant)
      for (let limit = 100n; limit < 152n; limit++) yield* deny(tenant, limit)
      clock.now += 10
      const other = yield* newTenant
      yield* newChannel(other)
      yield* deny(other)
      const turns = yield* alerts((port) =>
        port.claim(
          {
            well: { most: 4, ofAccount: 2, ofHolders: new Map([[tenant.account_id, 0]]) },
            failing: { most: 3 },
            busy: new Set()
          },
          leaseSeconds
        )
      )
      assert.deepEqual(
        turns.map(({ account_id }) => account_id),
        [other.account_id]
      )
    }))
}
