import { assert, describe, it } from "@effect/vitest"
import { budgetIntervals, ResetInterval } from "@gatewarden/contract/internal"
import * as fc from "fast-check"
import { keySpending } from "../../core/src/key/key.ts"
import { noUsage, spendingOf } from "../../core/src/ports/usage.ts"
import { formatUsd, parseUsd } from "../../core/src/value/money.ts"

/** Below 2^23 USD a number has every nano-dollar. */
const nanos = fc.bigInt({ min: 0n, max: 8_000_000_000_000_000n })
const spending = fc.func(nanos).map((amountOf) => spendingOf(amountOf))
const usage = fc.record({ credits: spending, byok: spending, held: spending, byok_held: spending })
const key = fc.record({
  limit: fc.option(nanos.map((amount) => Number(formatUsd(amount)))),
  limit_reset: fc.constantFrom(null, ...ResetInterval.options),
  include_byok_in_limit: fc.boolean()
})

const windowOf = (reset: ResetInterval | null) => budgetIntervals.find(({ name }) => name === reset)?.unit ?? "total"

describe("keySpending", () => {
  it("prints every amount exactly", () => {
    fc.assert(
      fc.property(key, usage, (key, usage) => {
        const printed = keySpending(key, usage)
        assert.strictEqual(parseUsd(printed.usage), usage.credits.total)
        assert.strictEqual(parseUsd(printed.usage_daily), usage.credits.day)
        assert.strictEqual(parseUsd(printed.usage_weekly), usage.credits.week)
        assert.strictEqual(parseUsd(printed.usage_monthly), usage.credits.month)
        assert.strictEqual(parseUsd(printed.byok_usage), usage.byok.total)
        assert.strictEqual(parseUsd(printed.byok_usage_daily), usage.byok.day)
        assert.strictEqual(parseUsd(printed.byok_usage_weekly), usage.byok.week)
        assert.strictEqual(parseUsd(printed.byok_usage_monthly), usage.byok.month)
      })
    )
  })

  it("leaves of the limit what is neither spent nor held in its window, and never less than nothing", () => {
    fc.assert(
      fc.property(key, usage, (key, usage) => {
        const { limit_remaining } = keySpending(key, usage)
        if (key.limit === null) return assert.isNull(limit_remaining)
        const window = windowOf(key.limit_reset)
        const byok = key.include_byok_in_limit ? usage.byok[window] + usage.byok_held[window] : 0n
        const spent = usage.credits[window] + usage.held[window] + byok
        const left = (parseUsd(key.limit) ?? assert.fail()) - spent
        assert.strictEqual(parseUsd(limit_remaining ?? -1), left > 0n ? left : 0n)
      })
    )
  })

  it("leaves an unused limit whole, whatever its size", () => {
    for (const limit of [0, 1e-9, 0.1, 123456789.123456, 1e9]) {
      const { limit_remaining } = keySpending({ limit, limit_reset: null, include_byok_in_limit: true }, noUsage)
      assert.strictEqual(limit_remaining, limit)
    }
  })

  it("is a number however much was spent", () => {
    const much = { ...noUsage.credits, total: 10n ** 24n }
    const printed = keySpending(
      { limit: 1, limit_reset: null, include_byok_in_limit: false },
      { ...noUsage, credits: much, byok: much }
    )
    assert.strictEqual(printed.usage, 1e15)
    assert.strictEqual(printed.limit_remaining, 0)
  })
})
