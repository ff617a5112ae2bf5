import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { readExpiry } from "../../core/src/key/key.ts"

const now = Date.parse("2026-03-04T12:00:00.000Z")

const table: readonly (readonly [sent: string | null | undefined, expected: string | null, code?: string])[] = [
  [undefined, null],
  [null, null],
  ["2026-03-04T12:00:00.001Z", "2026-03-04T12:00:00.001Z"],
  ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
  ["2026-03-04T12:00:00.000Z", null, "past"],
  ["2026-03-04T11:59:59.999Z", null, "past"],
  ["0001-01-01T00:00:00.000Z", null, "past"]
]

describe("readExpiry", () => {
  for (const [sent, expected, code] of table)
    it.effect(`${sent}: ${code ?? expected}`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(now)
        const read = readExpiry(sent, "expires_at")
        if (code === undefined) return assert.strictEqual(yield* read, expected)
        const failure = yield* Effect.flip(read)
        assert.deepInclude(failure.issues?.[0], { path: "expires_at", code })
      })
    )
})
