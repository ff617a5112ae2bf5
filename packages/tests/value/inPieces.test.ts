import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as fc from "fast-check"
import { inPieces } from "../../core/src/value/bytes.ts"

describe("inPieces", () => {
  it("gives the same bytes in pieces of one size, and copies of them", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.uint8Array({ maxLength: 25 }), { maxLength: 8 }),
        async (size, chunks) => {
          const whole = chunks.flatMap((chunk) => [...chunk])
          const pieces = await Effect.runPromise(Stream.runCollect(inPieces(size)(Stream.fromIterable(chunks))))
          for (const chunk of chunks) chunk.fill(0)
          assert.deepEqual(
            pieces.flatMap((piece) => [...piece]),
            whole
          )
          for (const piece of pieces.slice(0, -1)) assert.strictEqual(piece.length, size)
          assert.isTrue(pieces.every(({ length }) => length > 0 && length <= size))
        }
      )
    ))
})
