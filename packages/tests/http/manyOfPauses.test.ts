/** A long list that is read in pauses comes to what it comes to at once. */
import { assert, describe, it, vi } from "@effect/vitest"
import * as fc from "fast-check"
import * as z from "zod"
import { manyOf } from "../../contract/src/manyOf.ts"

const schema = z.object({
  items: manyOf(z.object({ id: z.int(), parts: manyOf(z.object({ text: z.string().max(5) })).optional() }))
    .max(300)
    .nullish()
})

const part = fc.record({ text: fc.oneof(fc.string({ maxLength: 7 }), fc.constant(1)) })
const item = fc.record({ id: fc.oneof(fc.integer(), fc.string()), parts: fc.array(part, { maxLength: 3 }) })

describe("a long list", () => {
  it("gives way to others while it is read, and while one item's own list is", async () => {
    const parts = Array.from({ length: 10_000 }, () => ({ text: "a" }))
    for (const items of [
      [{ id: 1, parts }],
      Array.from({ length: 300 }, () => ({ id: 1, parts: parts.slice(0, 50) }))
    ]) {
      let now = 0
      const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 5))
      const pauses = vi.spyOn(globalThis, "setTimeout")
      try {
        assert.isTrue((await schema.safeParseAsync({ items })).success)
        // At every second look at the clock, one after ten items.
        assert.isAtLeast(pauses.mock.calls.length, items.length === 1 ? 400 : 13)
      } finally {
        clock.mockRestore()
        pauses.mockRestore()
      }
    }
  })

  it("reads items with long lists of their own one after the other, so that their slices do not add up", async () => {
    const parts = Array.from({ length: 600 }, () => ({ text: "a" }))
    let now = 0
    let waiting = 0
    let most = 0
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 5))
    // What else the process waits for has a time to wait.
    const ordinary = globalThis.setTimeout
    const pauses = vi.spyOn(globalThis, "setTimeout").mockImplementation(((resume: () => void, millis?: number) => {
      if (millis !== 0) return ordinary(resume, millis)
      most = Math.max(most, ++waiting)
      return setImmediate(() => {
        waiting--
        resume()
      })
    }) as unknown as typeof setTimeout)
    try {
      const items = Array.from({ length: 25 }, (_, id) => (id % 9 === 4 ? { id } : { id, parts }))
      assert.deepStrictEqual((await schema.safeParseAsync({ items })).data, { items })
      assert.strictEqual(most, 1)
    } finally {
      clock.mockRestore()
      pauses.mockRestore()
    }
  })

  it("has the same values and the same issues, whether others have their turn or not", () =>
    fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 320 }), fc.nat(320), async (items, wide) => {
        const first = items[wide]
        if (first !== undefined) first.parts = Array.from({ length: 600 }, (_, index) => ({ text: String(index % 7) }))
        const [atOnce, inPauses] = [schema.safeParse({ items }), await schema.safeParseAsync({ items })]
        assert.deepStrictEqual(inPauses.success, atOnce.success)
        assert.deepStrictEqual(inPauses.data, atOnce.data)
        // Where there are more than can be mended at once, which of them come first is not promised.
        const found = (error: z.ZodError | undefined) =>
          error?.issues.map(({ path, message }) => `${path.join(".")} ${message}`).sort()
        if ((atOnce.error?.issues.length ?? 0) < 100) assert.deepStrictEqual(found(inPauses.error), found(atOnce.error))
      }),
      { numRuns: 60 }
    ))
})
