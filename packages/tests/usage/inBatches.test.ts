import { assert, describe, it } from "@effect/vitest"
import { inBatches } from "../../core/src/usage/recordUsageEvents.ts"

type Resolved = Parameters<typeof inBatches>[0]

const events = (count: number, tags: number, trace: unknown = null, input?: unknown): Resolved =>
  Array.from({ length: count }, (_, at) => ({
    account_id: "acme",
    event: {
      id: `${at}`,
      classifiers: { topic: Object.fromEntries(Array.from({ length: tags }, (_, at) => [at, ""])) },
      trace
    },
    reported: { input }
  })) as unknown as Resolved

describe("events on their way to the store", () => {
  it("go a thousand at a time, and fewer where they have many tags", () => {
    for (const [tags, lengths] of [
      [0, [1_000, 1_000, 500]],
      [80, Array.from({ length: 13 }, (_, at) => (at < 12 ? 200 : 100))]
    ] as const) {
      const all = events(2_500, tags)
      const stretches = [...inBatches(all)]
      assert.deepStrictEqual(
        stretches.map(({ length }) => length),
        [...lengths]
      )
      assert.deepStrictEqual(stretches.flat(), all)
    }
    assert.deepStrictEqual([...inBatches([])], [])
    // One that is more than that by itself goes alone.
    assert.strictEqual([...inBatches(events(2, 50_000))].length, 2)
  })

  it("go a few MiB at a time, whichever field is long", () => {
    const long = "x".repeat(900_000)
    const small = Array.from({ length: 10_000 }, () => 0)
    for (const all of [events(20, 0, { long }), events(20, 0, null, long), events(20, 0, { small })]) {
      const stretches = [...inBatches(all)]
      assert.isAtMost(Math.max(...stretches.map(({ length }) => length)), 10)
      assert.deepStrictEqual(stretches.flat(), all)
    }
  })
})
