/** Holds what keys have spent to the sums of their events: in all, and in the window of each unit of the calendar. */
import { type IntervalUnit, intervalUnits } from "@gatewarden/contract"
import {
  type KeyUsage,
  KeyUsageReader,
  noUsage,
  type Spending,
  startOfBucket,
  type StorePorts,
  type UsageEvent,
  UsageLog
} from "@gatewarden/core/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Stream } from "effect"
import * as fc from "fast-check"
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
    const run = storeUnderTest(makeStore, 0)

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
            const usage = await run(Effect.flatMap(KeyUsageReader, (reader) => reader.usageOf(account_id, hashes, now)))
            for (const hash of hashes) {
              const own = events.filter(({ api_key_hash }) => api_key_hash === hash)
              const expected: KeyUsage = {
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
  })
}
