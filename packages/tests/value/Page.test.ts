import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { everyEntry, type PageRequest } from "../../core/src/value/Page.ts"

const numbers = Array.from({ length: 7 }, (_, index) => index)

/** A list whose pages end after two entries, as by their bytes. */
const list = ({ limit, offset }: PageRequest) =>
  Effect.succeed({ data: numbers.slice(offset, offset + Math.min(limit, 2)), total_count: numbers.length })

describe("all entries of a list", () => {
  it.effect("are read beyond a page that ends by its bytes", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* everyEntry(list, 100), numbers)
    })
  )

  it.effect("are at most as many as asked for", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* everyEntry(list, 5), numbers.slice(0, 5))
    })
  )

  it.effect("end where entries disappeared meanwhile", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* everyEntry(() => Effect.succeed({ data: [] as number[], total_count: 3 }), 5), [])
    })
  )
})
