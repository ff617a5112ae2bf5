/** Rule: admissions#replays. */
import { assert, describe, it } from "@effect/vitest"
import { type AnalyticsPlan, AnalyticsReader } from "@gatewarden/core/internal"
import type { Budget } from "@gatewarden/core/store"
import { Effect } from "effect"
import { replayedSpending } from "../../core/src/explanation/replayedSpending.ts"

const account = "00000000-0000-4000-8000-000000000001"
const workspace_id = "00000000-0000-4000-8000-000000000002"
const start = Date.parse("2026-03-18T12:00:00.000Z")

const budget = (entity: string, interval: Budget["interval"]): Budget => ({
  ...{ scope: "key", entity, guardrail_id: null, interval, limit_nanos: 10n, include_byok: true }
})

/** Answers what was spent in hours of the range, 1 and 2 nano-dollars each, of two keys; of all at once only one fits if it is cut. */
const readerOf = (isCut: boolean, plans: AnalyticsPlan[]) =>
  AnalyticsReader.of({
    read: (_, plan) => {
      plans.push(plan)
      const hours = BigInt(Math.round((plan.end - Math.max(plan.start, Date.parse("2026-01-01"))) / 3_600_000))
      const named = plan.filters[0]?.values[0]
      const keys = named === undefined ? (isCut ? ["a"] : ["a", "b"]) : [named]
      const cells = keys.map((key) => ({ time: null, keys: [key], measures: [hours, hours * 2n] }))
      return Effect.succeed({ cells, truncated: isCut && named === undefined })
    }
  })

describe("the spending that a replay begins with", () => {
  for (const isCut of [false, true])
    it.effect(`is read once for each kind of window${isCut ? ", and by name where there are too many" : ""}`, () => {
      const plans: AnalyticsPlan[] = []
      return Effect.gen(function* () {
        const spending = replayedSpending(account, start)
        spending.charge({ api_key_hash: "b", user_id: null, workspace_id, cost_nanos: 5n, byok_cost_nanos: 0n }, start)
        const read = (key: string, at: number) =>
          Effect.map(
            spending.states(workspace_id, [budget(key, "daily"), budget(key, "monthly"), budget(key, "lifetime")], at),
            (states) => states.map(({ spent_nanos }) => Number(spent_nanos) / 3)
          )
        const [day, month, ever] = [12, 17 * 24 + 12, 76 * 24 + 12]
        assert.deepEqual(yield* read("a", start), [day, month, ever])
        assert.deepEqual(yield* read("b", start + 1), [day + 5 / 3, month + 5 / 3, ever + 5 / 3])
        assert.deepEqual(yield* read("b", start + 1), [day + 5 / 3, month + 5 / 3, ever + 5 / 3])
        // A window that begins later begins with nothing.
        assert.deepEqual(yield* read("b", start + 86_400_000), [0, month + 5 / 3, ever + 5 / 3])
        assert.lengthOf(plans, isCut ? 9 : 3)
      }).pipe(Effect.provideService(AnalyticsReader, readerOf(isCut, plans)))
    })
})
