/** What quiet time silences. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import {
  type AlertsUnderTest,
  budgetOf,
  claimOf,
  delivered,
  deny,
  hold,
  newChannel,
  retried,
  acknowledge,
  statuses
} from "./alertsUnderTest.ts"

export const testQuietTime = ({ clock, test }: AlertsUnderTest): void => {
  test("quiet time silences the same type and subject, and nothing else", (tenant, now) =>
    Effect.gen(function* () {
      yield* newChannel(tenant, { quiet_time_seconds: 600 })
      yield* deny(tenant, 100n)
      yield* deny(tenant, 101n)
      const first = yield* claimOf(tenant)
      assert.lengthOf(first, 1)
      assert.sameMembers(yield* statuses(tenant), ["waiting", "waiting"])
      if (first[0] !== undefined) yield* acknowledge(first[0], delivered)
      assert.deepEqual(yield* claimOf(tenant), [])
      assert.sameMembers(yield* statuses(tenant), ["delivered", "quiet"])
      clock.now = now + 599_000
      yield* deny(tenant, 102n)
      assert.deepEqual(yield* claimOf(tenant), [])
      yield* Effect.asVoid(hold(tenant, budgetOf(tenant.workspace_id, 1n, "monthly"), 5n))
      assert.lengthOf(yield* claimOf(tenant), 1)
      clock.now = now + 600_000
      yield* deny(tenant, 103n)
      assert.lengthOf(yield* claimOf(tenant), 1)
      const count = (all: readonly string[], status: string) => all.filter((one) => one === status).length
      assert.strictEqual(count(yield* statuses(tenant), "quiet"), 2)
    }))

  test("what nobody was told of silences nothing", (tenant, now) =>
    Effect.gen(function* () {
      yield* newChannel(tenant, { quiet_time_seconds: 600 })
      yield* deny(tenant, 100n)
      const [turn] = yield* claimOf(tenant)
      if (turn === undefined) return yield* Effect.die(new Error("Nothing is due"))
      yield* acknowledge(turn, { ...retried, kind: "failed" })
      clock.now = now + 1_000
      yield* deny(tenant, 101n)
      assert.lengthOf(yield* claimOf(tenant), 1)
    }))

  test("what waits while one alike is tried is sent when that one fails for good, however often it was tried", (tenant, now) =>
    Effect.gen(function* () {
      yield* newChannel(tenant, { quiet_time_seconds: 600 })
      yield* deny(tenant, 100n)
      yield* deny(tenant, 101n)
      const [first] = yield* claimOf(tenant)
      if (first === undefined) return yield* Effect.die(new Error("Nothing is due"))
      yield* acknowledge(first, retried)
      clock.now = now + 60_000
      yield* deny(tenant, 102n)
      const [again, ...others] = yield* claimOf(tenant)
      assert.deepEqual(others, [])
      if (again?.alert.id !== first.alert.id) return yield* Effect.die(new Error("Another one was taken"))
      clock.now += 1_000
      assert.deepEqual(yield* claimOf(tenant), [])
      yield* acknowledge(again, { ...retried, kind: "failed" })
      const [second, ...later] = yield* claimOf(tenant)
      assert.deepEqual(later, [])
      if (second === undefined) return yield* Effect.die(new Error("The later one is swallowed"))
      assert.notStrictEqual(second.alert.id, first.alert.id)
      yield* acknowledge(second, delivered)
      assert.deepEqual(yield* claimOf(tenant), [])
      assert.sameMembers(yield* statuses(tenant), ["failed", "delivered", "quiet"])
    }))
}
