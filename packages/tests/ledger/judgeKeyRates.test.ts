import { assert, describe, it } from "@effect/vitest"
import { exceededRates, rateObjections, tooManyRequests } from "../../core/src/ledger/judgeKeyRates.ts"

const use = { requests: 2, tokens: 30, parallel: 1, resets_at: null }
const edits = (limits: object, tokens: number) =>
  rateObjections(
    { requests_per_minute: null, tokens_per_minute: null, parallel_requests: null, ...limits },
    use,
    tokens
  )

describe("rateObjections", () => {
  it("asks for as much as the request needs beside what is used, of every limit that is full", () => {
    assert.deepEqual(edits({ requests_per_minute: 3, tokens_per_minute: 40, parallel_requests: 2 }, 10), [])
    assert.deepEqual(
      edits({ requests_per_minute: 2, tokens_per_minute: 39, parallel_requests: 1 }, 10).map(({ reason, edit }) => [
        reason.field,
        reason.value,
        edit?.from,
        edit?.to
      ]),
      [
        ["requests_per_minute", 2, 2, 3],
        ["tokens_per_minute", 39, 39, 40],
        ["parallel_requests", 1, 1, 2]
      ]
    )
  })

  it("asks for none where no limit can be as high", () => {
    const [highest] = edits({ tokens_per_minute: 1 }, 999_999_970)
    const [beyond] = edits({ tokens_per_minute: 1 }, 999_999_971)
    assert.strictEqual(highest?.edit?.to, 1_000_000_000)
    assert.isNull(beyond?.edit?.to)
  })
})

describe("a request that its key's rates refuse", () => {
  const limits = { requests_per_minute: 2, tokens_per_minute: 39, parallel_requests: 1 }
  const now = 1_000_000
  const refused = (fields: readonly (keyof typeof limits)[], resets_at: number | null) =>
    tooManyRequests(
      rateObjections(limits, use, 10).filter(({ reason }) => fields.some((field) => field === reason.field)),
      { ...use, resets_at },
      now
    )

  it("is refused by each limit that it would pass, and by none that it would reach", () => {
    assert.deepEqual(exceededRates(limits, { ...use, requests: 1, tokens: 29, parallel: 0 }, 10), [])
    assert.deepEqual(exceededRates(limits, { ...use, requests: 2, tokens: 29, parallel: 0 }, 10), [
      "requests_per_minute"
    ])
    assert.deepEqual(exceededRates(limits, { ...use, requests: 1, tokens: 30, parallel: 0 }, 10), ["tokens_per_minute"])
    assert.deepEqual(exceededRates(limits, { ...use, requests: 1, tokens: 29 }, 10), ["parallel_requests"])
  })

  it("is told which limits are used up, and to come back when the oldest request leaves the minute", () => {
    assert.deepEqual(refused(["requests_per_minute", "tokens_per_minute"], now + 30_001), {
      status: 429,
      reason: "key_rate_limited",
      message: "Rate limit exceeded",
      metadata: {
        rate_limits: [
          { field: "requests_per_minute", limit: 2 },
          { field: "tokens_per_minute", limit: 39 }
        ],
        retry_after_seconds: 31
      }
    })
  })

  it("comes back in a second where one that runs may end at any moment, or nothing is known", () => {
    const seconds = (fields: readonly (keyof typeof limits)[], resets_at: number | null) =>
      refused(fields, resets_at).metadata?.["retry_after_seconds"]
    assert.strictEqual(seconds(["parallel_requests"], now + 30_000), 1)
    assert.strictEqual(seconds(["requests_per_minute"], null), 1)
    assert.strictEqual(seconds(["requests_per_minute"], now - 5_000), 1)
    assert.strictEqual(seconds(["requests_per_minute"], now + 1_000), 1)
    assert.strictEqual(seconds(["requests_per_minute"], now + 1_001), 2)
    assert.strictEqual(seconds(["requests_per_minute", "parallel_requests"], now + 30_000), 30)
  })
})
