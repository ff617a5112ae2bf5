import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { showProgress } from "../../node/src/cli/showProgress.ts"

/** What arrives on a stream while half of 1,000 bytes are read in ten seconds. */
const written = (stream: { readonly isTTY?: true; readonly columns?: number }) =>
  Effect.gen(function* () {
    const chunks: string[] = []
    const stderr = { ...stream, write: (chunk: string) => chunks.push(chunk) } as never
    yield* Effect.scoped(
      Effect.gen(function* () {
        const note = yield* showProgress("usage.jsonl", stderr)
        yield* TestClock.adjust("6 seconds")
        note({ rows: 0, bytes: 0, size: 1_000 })
        note({ rows: 50, bytes: 500, size: 1_000 })
        yield* TestClock.adjust("4 seconds")
      })
    )
    return chunks
  })

const words = "gatewarden: usage.jsonl, 50%, 50 rows, 5 rows/s, 10 s left"

describe("showProgress", () => {
  it.effect("writes whole lines if stderr is no terminal", () =>
    Effect.map(written({}), (chunks) => assert.deepEqual(chunks, [`${words}\n`]))
  )

  it.effect("repaints one line of a terminal, within its width, and clears it in the end", () =>
    Effect.map(written({ isTTY: true, columns: 30 }), (chunks) => {
      const [back, clear, line] = chunks.slice(-5)
      assert.deepEqual([back, clear], ["\u001b[1G", "\u001b[0K"])
      assert.strictEqual(line, words.slice(0, 29))
      assert.deepEqual(chunks.slice(-2), [back, clear])
      assert.notInclude(chunks.join(""), "\n")
    })
  )
})
