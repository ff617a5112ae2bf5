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

  it.effect("are asked for no longer than there may be more", () =>
    Effect.gen(function* () {
      for (const [most, asked] of [
        [
          100,
          [
            [100, 0],
            [98, 2],
            [96, 4],
            [94, 6]
          ]
        ],
        [
          7,
          [
            [7, 0],
            [5, 2],
            [3, 4],
            [1, 6]
          ]
        ],
        [
          4,
          [
            [4, 0],
            [2, 2]
          ]
        ]
      ] satisfies [number, number[][]][]) {
        const requests: number[][] = []
        yield* everyEntry((page) => {
          requests.push([page.limit, page.offset])
          return list(page)
        }, most)
        assert.deepStrictEqual(requests, asked)
      }
    })
  )
})
