/** Crossings of budgets: each is one alert, also for a channel that is made later. */
import { type Budget, WorkspaceBudgets, windowStart } from "@gatewarden/core/store"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { newTenant } from "../delivery/waitingEvents.ts"
import {
  alerts,
  type AlertsUnderTest,
  budgetKinds,
  budgetOf,
  claimOf,
  day,
  deny,
  hold,
  iso,
  listed,
  newChannel,
  newKey,
  spend,
  start
} from "./alertsUnderTest.ts"

export const testCrossings = ({ clock, run, test }: AlertsUnderTest): void => {
  it("each threshold alerts once for each window and limit, exactly where it was crossed", async () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 7, arbitrary: fc.record({ spend: fc.constantFrom(0n, 1n, 5n, 10n, 40n, 79n, 80n, 95n) }) },
        { weight: 3, arbitrary: fc.record({ limit: fc.constantFrom(0n, 100n, 100n, 120n) }) },
        { weight: 1, arbitrary: fc.record({ days: fc.constant(1) }) }
      ),
      { minLength: 6, maxLength: 20, size: "max" }
    )
    clock.now = start
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        const tenant = await run(Effect.tap(newTenant, (made) => newChannel(made, { events: [...budgetKinds] })))
        let [limit, spent] = [100n, 0n]
        const expected = new Set<string>()
        for (const step of steps) {
          if ("days" in step) {
            clock.now += day
            spent = 0n
          } else if ("limit" in step) limit = step.limit
          else {
            const crossed = (kind: string) =>
              expected.add(`${kind} ${iso(windowStart("daily", clock.now) ?? 0)} ${Number(limit) / 1e9}`)
            const noteSpent = () => {
              if (limit > 0n && spent * 100n >= limit * 80n) crossed("budget.spent_80")
              if (limit > 0n && spent * 100n >= limit * 95n) crossed("budget.spent_95")
            }
            noteSpent()
            const held = await run(spend(tenant, budgetOf(tenant.workspace_id, limit), step.spend, clock.now))
            assert.strictEqual(held, spent + step.spend <= limit)
            if (held) spent += step.spend
            else crossed("budget.denied")
            noteSpent()
          }
        }
        const found = (await run(listed(tenant))).map(
          ({ type, data }) => `${type} ${String(data["window_start"])} ${Number(data["limit_usd"])}`
        )
        assert.deepEqual([...found].sort(), [...expected].sort())
      }),
      { numRuns: 40 }
    )
  })

  test("what many cross at once is recorded once", (tenant) =>
    Effect.gen(function* () {
      yield* newChannel(tenant)
      yield* Effect.all(
        Array.from({ length: 20 }, () => deny(tenant)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(yield* listed(tenant), 1)
    }))

  test("a channel that is made after crossings is told of those that still hold, each once", (tenant, now) =>
    Effect.gen(function* () {
      const { account_id, workspace_id } = tenant
      const budgets = yield* WorkspaceBudgets
      const limit = (interval: Budget["interval"], limit_usd: number) =>
        budgets.put(
          account_id,
          { id: crypto.randomUUID(), workspace_id, interval, limit_usd, include_byok: undefined },
          iso(now)
        )
      const usd = 1_000_000_000n
      // Of thresholds the highest is told, of budgets that were raised and of windows that are over none.
      yield* limit("daily", 1)
      yield* limit("weekly", 2)
      yield* limit("lifetime", 3)
      yield* spend(tenant, budgetOf(workspace_id, usd, "daily"), (usd * 96n) / 100n, now)
      yield* hold(tenant, budgetOf(workspace_id, 2n * usd, "weekly"), 2n * usd)
      yield* spend(tenant, budgetOf(workspace_id, 3n * usd, "lifetime"), (usd * 19n) / 10n, now)
      yield* limit("weekly", 2.5)
      assert.deepEqual(yield* listed(tenant), [])
      const first = yield* newChannel(tenant, { events: [...budgetKinds, "key.expiring"] })
      const told = Effect.map(listed(tenant), (all) =>
        all.flatMap(({ type, data, deliveries }) =>
          deliveries.map((one) => [one.channel_id, type, data["interval"] ?? data["key_name"], one.status])
        )
      )
      const toFirst = [
        [first, "budget.spent_95", "daily", "waiting"],
        [first, "budget.spent_95", "lifetime", "waiting"]
      ]
      assert.sameDeepMembers(yield* told, toFirst)
      // A key that all channels hear of at once, and another that a later one finds.
      yield* newKey(tenant, now - 60 * day, now + 3 * day)
      assert.strictEqual(yield* alerts((port) => port.detect(100)), 1)
      const second = yield* newChannel(tenant, { events: ["budget.spent_80", "key.expiring"] })
      const disabled = yield* newChannel(tenant, { enabled: false })
      assert.deepEqual(
        (yield* told).filter(([channel]) => channel === disabled),
        []
      )
      const expected = [
        ...toFirst,
        [first, "key.expiring", "job", "waiting"],
        [second, "budget.spent_80", "daily", "waiting"],
        [second, "budget.spent_80", "lifetime", "waiting"],
        [second, "key.expiring", "job", "waiting"]
      ]
      assert.sameDeepMembers(yield* told, expected)
      assert.strictEqual(yield* alerts((port) => port.detect(100)), 0)
      assert.sameDeepMembers(yield* told, expected)
      clock.now = now + 4 * day
      const third = yield* newChannel(tenant, { events: ["budget.spent_95", "key.expiring"] })
      const [late, ...others] = (yield* told).filter(([channel]) => channel === third)
      assert.deepEqual([late, others], [[third, "budget.spent_95", "lifetime", "waiting"], []])
      // It is tried for a day from then on.
      const turn = (yield* claimOf(tenant)).find(({ channel }) => channel.channel.id === third)
      assert.strictEqual(turn?.age_seconds, 0)
    }))
}
