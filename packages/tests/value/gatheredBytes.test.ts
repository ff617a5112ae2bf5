import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { GatheredBytes, pieceBytes, sameBytes } from "../../core/src/value/bytes.ts"

/** Lengths on both sides of those up to which pieces are copied together. */
const length = fc.constantFrom(0, 1, 7, 1_023, 1_024, 1_025, 2_048, 4_095, 4_096, 4_097)

const gathered = (pieces: readonly Uint8Array[]): GatheredBytes => {
  const bytes = new GatheredBytes()
  for (const piece of pieces) bytes.add(piece)
  return bytes
}

describe("pieces of bytes", () => {
  it("have a size, but for the last, and are views", () => {
    const bytes = Uint8Array.of(1, 2, 3, 4, 5)
    for (const [size, pieces] of [
      [1, [[1], [2], [3], [4], [5]]],
      [2, [[1, 2], [3, 4], [5]]],
      [5, [[1, 2, 3, 4, 5]]],
      [6, [[1, 2, 3, 4, 5]]]
    ] as const) {
      const found = pieceBytes(bytes, size)
      assert.deepEqual(
        found.map((piece) => [...piece]),
        pieces.map((piece) => [...piece])
      )
      assert.isTrue(found.every(({ buffer }) => buffer === bytes.buffer))
    }
    assert.deepEqual(pieceBytes(new Uint8Array(), 2), [])
  })
})

describe("bytes that arrive in pieces", () => {
  it("are all there, in their order, and are counted", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(length, { maxLength: 14 }), async (lengths) => {
        const pieces = lengths.map((length, index) => new Uint8Array(length).fill(index + 1))
        const whole = Buffer.concat(pieces)
        const bytes = gathered(pieces)
        assert.strictEqual(bytes.size, whole.length)
        assert.isTrue(whole.equals(bytes.take()))
        assert.isTrue(whole.equals(await Effect.runPromise(gathered(pieces).takeInSlices())))
      }),
      { numRuns: 60 }
    )
  })

  it("begin anew once they are taken", async () => {
    const bytes = gathered([Uint8Array.of(1, 2)])
    assert.deepStrictEqual(bytes.take(), Uint8Array.of(1, 2))
    assert.strictEqual(bytes.size, 0)
    assert.deepStrictEqual(bytes.take(), new Uint8Array())
    bytes.add(Uint8Array.of(3))
    assert.strictEqual(bytes.size, 1)
    assert.deepStrictEqual(await Effect.runPromise(bytes.takeInSlices()), Uint8Array.of(3))
    assert.strictEqual(bytes.size, 0)
  })

  it("are not copied if they are one long piece, also between empty ones", () => {
    const empty = new Uint8Array()
    for (const length of [1_024, 10_000]) {
      const long = new Uint8Array(length)
      assert.strictEqual(gathered([empty, long, empty]).take(), long)
      assert.strictEqual(Effect.runSync(gathered([empty, long, empty]).takeInSlices()), long)
    }
  })

  it("are copied if they are short, and keep no more memory than they need", () => {
    for (const length of [1, 1_023]) {
      const short = new Uint8Array(length).fill(1)
      const bytes = gathered([short])
      short.fill(2)
      const taken = bytes.take()
      assert.deepStrictEqual(taken, new Uint8Array(length).fill(1))
      assert.strictEqual(taken.buffer.byteLength, length)
    }
  })
})

describe("bytes are the same", () => {
  it("if they are as many, and each is", () => {
    const bytes = Uint8Array.of(1, 2, 3)
    assert.isTrue(sameBytes(bytes, bytes.slice()))
    assert.isTrue(sameBytes(new Uint8Array(), new Uint8Array()))
    for (const other of [[], [1, 2], [1, 2, 3, 4], [0, 2, 3], [1, 0, 3], [1, 2, 0]]) {
      assert.isFalse(sameBytes(bytes, Uint8Array.from(other)), other.join())
      assert.isFalse(sameBytes(Uint8Array.from(other), bytes), other.join())
    }
  })
})
