import { Pricing } from "@gatewarden/contract"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { costOfUsage } from "../../src/enforcement/costOfUsage.ts"
import { estimateCost } from "../../src/enforcement/estimateCost.ts"

/** A Saturday. */
const at = (time: string) => new Date(`2026-03-07T${time}:00.000Z`)
const cost = (fields: object, usage: object, time = "12:00") =>
  costOfUsage(
    Pricing.parse({ prompt: "0.000001", completion: "0.000002", ...fields }),
    { prompt_tokens: 10, completion_tokens: 5, ...usage },
    at(time)
  )

describe("what usage costs", () => {
  it("is exact, and rounded up once", () => {
    assert.strictEqual(cost({}, {}), 20_000n)
    assert.strictEqual(cost({ prompt: "0.0000000001", completion: "0" }, { prompt_tokens: 1 }), 1n)
    assert.strictEqual(cost({ prompt: "0.0000000001", completion: "0" }, { prompt_tokens: 11 }), 2n)
    assert.strictEqual(cost({ request: "0.01" }, {}), 10_020_000n)
  })

  it("takes the price of a cache where there is one", () => {
    assert.strictEqual(cost({}, { cached_tokens: 4 }), 20_000n)
    assert.strictEqual(cost({ input_cache_read: "0.0000001" }, { cached_tokens: 4 }), 16_400n)
    assert.strictEqual(cost({ input_cache_read: "0" }, { cached_tokens: 400 }), 10_000n)
  })

  it("takes the price of writing to a cache where there is one, for what was not read from it", () => {
    const write = { input_cache_write: "0.00001", input_cache_read: "0" }
    assert.strictEqual(cost({}, { cache_write_tokens: 4 }), 20_000n)
    assert.strictEqual(cost(write, { cache_write_tokens: 4 }), 56_000n)
    assert.strictEqual(cost(write, { cached_tokens: 5, cache_write_tokens: 4 }), 51_000n)
    assert.strictEqual(cost(write, { cached_tokens: 8, cache_write_tokens: 400 }), 30_000n)
    const overrides = [{ input_cache_write: "0.0001" }]
    assert.strictEqual(cost({ ...write, overrides }, { cache_write_tokens: 1 }), 119_000n)
  })

  it("follows overrides whose conditions hold", () => {
    const long = { overrides: [{ min_prompt_tokens: 10, prompt: "0.00001" }] }
    assert.strictEqual(cost(long, {}), 20_000n)
    assert.strictEqual(cost(long, { prompt_tokens: 11 }), 120_000n)
    const nights = { overrides: [{ utc_start: 2200, utc_end: 600, completion: "0" }] }
    assert.deepEqual(
      ["21:59", "22:00", "00:00", "05:59", "06:00"].map((time) => cost(nights, {}, time)),
      [20_000n, 10_000n, 10_000n, 10_000n, 20_000n]
    )
    const hours = { overrides: [{ utc_start: 900, utc_end: 2330, completion: "0" }] }
    assert.deepEqual(
      ["08:59", "09:00", "23:29", "23:30"].map((time) => cost(hours, {}, time)),
      [20_000n, 10_000n, 10_000n, 20_000n]
    )
    assert.strictEqual(cost({ overrides: [{ utc_days: ["saturday"], completion: "0" }] }, {}), 10_000n)
    assert.strictEqual(cost({ overrides: [{ utc_days: ["sunday"], completion: "0" }] }, {}), 20_000n)
  })

  it("lets the last override that names a price count, and leaves the others as they are", () => {
    const overrides = [
      { prompt: "0.00001", input_cache_read: "0.0000001" },
      { completion: "0.00002" },
      { prompt: "0.00003" }
    ]
    assert.strictEqual(cost({ overrides }, {}), 400_000n)
    assert.strictEqual(cost({ overrides }, { cached_tokens: 10 }), 101_000n)
  })

  it("is never more than what was held for it", () => {
    const price = fc.integer({ min: 0, max: 999 }).map((digits) => `0.000${String(digits).padStart(3, "0")}`)
    const count = fc.integer({ min: 0, max: 100_000 })
    const override = fc.record(
      {
        prompt: price,
        completion: price,
        input_cache_read: price,
        input_cache_write: price,
        min_prompt_tokens: count,
        utc_start: fc.constantFrom(0, 900),
        utc_end: fc.constantFrom(600, 2400)
      },
      { requiredKeys: [] }
    )
    const pricing = fc.record(
      {
        prompt: price,
        completion: price,
        request: price,
        input_cache_read: price,
        input_cache_write: price,
        overrides: fc.array(override)
      },
      { requiredKeys: ["prompt", "completion"] }
    )
    fc.assert(
      fc.property(
        pricing,
        count,
        count,
        count,
        count,
        fc.constantFrom("00:00", "08:00"),
        (fields, read, cached, stored, written, time) => {
          const parsed = Pricing.parse(fields)
          const held = estimateCost(
            { pricing: parsed, max_completion_tokens: null, max_prompt_tokens: null, context_length: 0 },
            { prompt_bytes: read, images: 0, completion_tokens: written }
          )
          const usage = {
            prompt_tokens: read,
            cached_tokens: cached,
            cache_write_tokens: stored,
            completion_tokens: written
          }
          assert.isTrue(costOfUsage(parsed, usage, at(time)) <= held)
        }
      )
    )
  })
})
