import { assert, describe, it } from "@effect/vitest"
import { rateObjections } from "../../core/src/ledger/judgeKeyRates.ts"

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
