/** What follows from the table of intervals holds for every interval that is added to it. */
import { assert, describe, it } from "@effect/vitest"
import { BudgetInterval, daysOfUnit } from "@gatewarden/contract/internal"
import { windowDays, windowStart } from "../../core/src/ledger/LedgerClock.ts"
import { retained } from "../../core/src/ports/retention.ts"

const day = 86_400

describe("windows", () => {
  it("end before their warnings are deleted", () => {
    assert.isAbove(retained.budget_warnings.min_seconds, Math.max(...Object.values(daysOfUnit)) * day)
    assert.isAbove(retained.budget_warnings.default_seconds, retained.budget_warnings.min_seconds)
  })

  it("are UTC days, weeks from Monday and months from the first; a lifetime has no start", () => {
    const now = Date.parse("2026-03-04T12:00:00.000Z")
    const starts = BudgetInterval.options.map((interval) => windowStart(interval, now))
    assert.deepEqual(
      starts.map((start) => (start === null ? null : new Date(start).toISOString())),
      ["2026-03-04T00:00:00.000Z", "2026-03-02T00:00:00.000Z", "2026-03-01T00:00:00.000Z", null]
    )
    assert.deepEqual(
      (["day", "week", "month"] as const).map((unit) => windowDays(unit, now)),
      [
        { first: "2026-03-04", end: "2026-03-05" },
        { first: "2026-03-02", end: "2026-03-09" },
        { first: "2026-03-01", end: "2026-04-01" }
      ]
    )
    assert.deepEqual(windowDays("month", Date.parse("2026-02-28T23:59:59.999Z")), {
      first: "2026-02-01",
      end: "2026-03-01"
    })
  })
})
