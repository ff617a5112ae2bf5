import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { copiedAtOnce, joinBytes, joiningBytes, pieceBytes } from "../../core/src/value/bytes.ts"
import { runSteps } from "./runSteps.ts"

describe("joiningBytes", () => {
  it("comes to what joinBytes comes to", () =>
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (parts) => {
        assert.deepStrictEqual(runSteps(joiningBytes(parts)).value, joinBytes(parts))
      })
    ))

  it("takes a step for each 256 KiB, and one for the rest", () => {
    for (const [sizes, steps] of [
      [[], 1],
      [[0, 1, 0], 1],
      [[copiedAtOnce - 1], 1],
      [[copiedAtOnce], 2],
      [[copiedAtOnce + 1], 2],
      [[copiedAtOnce - 1, 1, 1], 2],
      [[3 * copiedAtOnce], 4]
    ] as const)
      assert.strictEqual(runSteps(joiningBytes(sizes.map((size) => new Uint8Array(size)))).steps, steps, sizes.join())
  })

  it("copies so much in one step, whether the parts are long or short", () => {
    const long = new Uint8Array(10 * copiedAtOnce + 1).fill(7)
    const { value, steps } = runSteps(joiningBytes([Uint8Array.of(1), long]))
    assert.deepStrictEqual([value[0], value.length], [1, long.length + 1])
    assert.isAtLeast(steps, 10)
    assert.isAtLeast(runSteps(joiningBytes(pieceBytes(long, 1_000))).steps, 10)
  })
})
