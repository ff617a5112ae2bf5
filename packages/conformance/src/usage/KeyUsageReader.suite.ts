/**
 * Holds what keys have spent to the sums of their events, in all and in the window of each unit of the calendar, and what they hold to what
 * the ledger says of their budgets.
 */
import { budgetIntervals, type IntervalUnit, intervalUnits, rowOfInterval } from "@gatewarden/contract/internal"
import {
  type Budget,
  BudgetLedger,
  type KeyUsage,
  KeyUsageReader,
  noUsage,
  type Spending,
  startOfBucket,
  type StorePorts,
  type UsageEvent,
  UsageLog
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Stream } from "effect"
import * as fc from "fast-check"
import { byDatabase } from "../HandClock.ts"
import { spendingEvent } from "./spendingEvent.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"

const minute = 60_000
const day = 1_440 * minute
const keys = ["a".repeat(64), "b".repeat(64), null]

/** The end of a month and a week, the first of a month in the midst of a week, and the first of a year. */
const instants = ["2026-05-31T23:58:00.000Z", "2026-04-01T00:00:00.000Z", "2026-01-01T12:00:00.000Z"].map(Date.parse)

const recorded = fc.record({
  key: fc.constantFrom(...keys),
  /** Up to five minutes ahead, and back over borders of days, weeks and months. */
  age: fc.oneof(
    fc.constantFrom(-5 * minute, -2 * minute, 0, 12 * 60 * minute),
    fc.integer({ min: 0, max: 200 }).map((days) => days * day)
  ),
  cost_nanos: fc.bigInt({ min: 0n, max: 10n ** 15n }),
  byok_cost_nanos: fc.bigInt({ min: 0n, max: 3n })
})

/** Held up to a month and a day ago, for up to an hour or for so long that it still is. */
const admitted = fc.record({
  key: fc.constantFrom("a".repeat(64), "b".repeat(64)),
  age: fc.oneof(
    fc.integer({ min: 0, max: 3 * 60 }).map((minutes) => minutes * minute),
    fc.integer({ min: 0, max: 32 }).map((days) => days * day)
  ),
  shared: fc.bigInt({ min: 0n, max: 10n ** 15n }),
  byok: fc.bigInt({ min: 0n, max: 10n ** 15n }),
  hold_seconds: fc.constantFrom(60, 3_600, 40 * 86_400),
  end: fc.constantFrom("open", "open", "cancelled", "settled")
})

/** A budget of each interval, with what the workspace's own credentials cost and without; none is ever short. */
const budgetsOf = (entity: string): readonly Budget[] =>
  budgetIntervals.flatMap(({ name }) =>
    [true, false].map((include_byok): Budget => ({
      scope: "key_limit",
      entity,
      guardrail_id: null,
      interval: name,
      limit_nanos: 10n ** 18n,
      include_byok
    }))
  )

const spendingOf = (events: readonly UsageEvent[], amount: "cost_nanos" | "byok_cost_nanos", now: number): Spending => {
  const sumOf = (isMeant: (created_at: number) => boolean) =>
    events.reduce((sum, event) => (isMeant(Date.parse(event.created_at)) ? sum + event[amount] : sum), 0n)
  const within = (unit: IntervalUnit) =>
    sumOf((created_at) => startOfBucket(unit, created_at) === startOfBucket(unit, now))
  return {
    total: sumOf(() => true),
    ...(Object.fromEntries(intervalUnits.map((unit) => [unit, within(unit)])) as Record<IntervalUnit, bigint>)
  }
}

export const keyUsageSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`usage of keys: ${name}`, () => {
    const clock = { now: 0 }
    const run = storeUnderTest(makeStore, clock)

    it("is the sum of a key's events, of one account, whenever and in whatever order they were recorded", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...instants),
          fc.array(fc.array(recorded, { maxLength: 8 }), { maxLength: 5 }),
          async (now, batches) => {
            const [account_id, other] = [crypto.randomUUID(), crypto.randomUUID()]
            const events: UsageEvent[] = []
            for (const batch of batches) {
              const made = batch.map(({ key, age, ...amounts }, index) =>
                spendingEvent({
                  id: `${events.length + index}`,
                  workspace_id: account_id,
                  api_key_hash: key,
                  user_id: null,
                  created_at: new Date(now - age).toISOString(),
                  ...amounts
                })
              )
              events.push(...made)
              for (const account of [account_id, other])
                await run(Effect.flatMap(UsageLog, (log) => log.record(account, Stream.succeed(made))))
            }
            const hashes = keys.flatMap((key) => key ?? [])
            clock.now = now
            const usage = await run(Effect.flatMap(KeyUsageReader, (reader) => reader.usageOf(account_id, hashes)))
            for (const hash of hashes) {
              const own = events.filter(({ api_key_hash }) => api_key_hash === hash)
              const expected: KeyUsage = {
                ...noUsage,
                credits: spendingOf(own, "cost_nanos", now),
                byok: spendingOf(own, "byok_cost_nanos", now)
              }
              assert.deepEqual(usage.get(hash) ?? noUsage, expected)
            }
          }
        ),
        { numRuns: 60 }
      )
    }, 120_000)

    it("holds of a key what its budgets say, of admissions that are neither settled, cancelled nor expired", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...instants),
          fc.array(admitted, { maxLength: 8 }),
          async (last, admissions) => {
            const [account_id, workspace_id] = [crypto.randomUUID(), crypto.randomUUID()]
            const inLedger = <A>(ask: (ledger: BudgetLedger["Service"]) => Effect.Effect<A>) =>
              run(Effect.flatMap(BudgetLedger, ask))
            const steps = admissions.map((admission, index) => ({ ...admission, id: `${account_id} ${index}` }))
            for (const { id, age, key, shared, byok, hold_seconds } of steps.toSorted((a, b) => b.age - a.age)) {
              clock.now = last - age
              const costs = [
                { nanos: shared, byok: false },
                { nanos: byok, byok: true }
              ]
              const request = { admission_id: id, workspace_id, key_hash: key, user_id: null, costs, hold_seconds }
              const budgets = budgetsOf(key)
              assert.isTrue((await inLedger((ledger) => ledger.hold(account_id, { ...request, budgets }))).held)
            }
            clock.now = last
            for (const { id, end, key } of steps) {
              if (end === "cancelled") await inLedger((ledger) => ledger.release(account_id, id))
              if (end !== "settled") continue
              const created_at = new Date(last).toISOString()
              const event = spendingEvent({ id, workspace_id, api_key_hash: key, user_id: null, created_at })
              await inLedger((ledger) => ledger.settle(account_id, event))
            }
            const hashes = keys.flatMap((key) => key ?? [])
            const usage = await run(Effect.flatMap(KeyUsageReader, (reader) => reader.usageOf(account_id, hashes)))
            for (const hash of hashes) {
              const { held, byok_held } = usage.get(hash) ?? noUsage
              const states = await inLedger((ledger) => ledger.states(account_id, workspace_id, budgetsOf(hash)))
              for (const { budget, held_nanos } of states) {
                const window = rowOfInterval(budget.interval).unit ?? "total"
                assert.strictEqual(held[window] + (budget.include_byok ? byok_held[window] : 0n), held_nanos)
              }
            }
          }
        ),
        { numRuns: 15 }
      )
    }, 120_000)

    if (name !== "memory")
      it("is of the database's day, whatever the clock of a process says", () =>
        run(
          Effect.gen(function* () {
            const [account_id, workspace_id, key_hash] = [crypto.randomUUID(), crypto.randomUUID(), "a".repeat(64)]
            const [ledger, reader] = [yield* BudgetLedger, yield* KeyUsageReader]
            const held = yield* ledger.hold(account_id, {
              admission_id: `${account_id} held`,
              workspace_id,
              key_hash,
              user_id: null,
              budgets: budgetsOf(key_hash),
              costs: [{ nanos: 5n, byok: false }],
              hold_seconds: 3_600
            })
            assert.isTrue(held.held)
            for (const skew of [-40 * day, 0, 40 * day]) {
              clock.now = Date.now() + skew
              const usage = (yield* reader.usageOf(account_id, [key_hash])).get(key_hash) ?? noUsage
              assert.deepEqual(usage, {
                ...noUsage,
                held: { ...noUsage.held, total: 5n, day: 5n, week: 5n, month: 5n }
              })
            }
          }).pipe(byDatabase)
        ))
  })
}
