import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { compareToDecimal, formatDecimal, parseDecimal, shiftDecimal } from "../../core/src/value/money.ts"

const parsed = (value: string | number) => {
  const decimal = parseDecimal(value)
  if (decimal === undefined) throw new Error(`not a decimal: ${value}`)
  return decimal
}

describe("Decimal", () => {
  it("reads numbers as they are written", () => {
    for (const [value, text] of [
      [0, "0"],
      [-0, "0"],
      [0.1, "0.1"],
      [1e-9, "0.000000001"],
      [1e21, "1000000000000000000000"],
      [-12.5, "-12.5"],
      ["9007199254740993.000", "9007199254740993.000"],
      ["-0.5", "-0.5"],
      ["007", "7"]
    ] as const)
      assert.strictEqual(formatDecimal(parsed(value)), text)
  })

  it("refuses what is no number, or too long to be one", () => {
    for (const value of [
      "",
      " ",
      "1 ",
      "+1",
      ".5",
      "1.",
      "1e5x",
      "0x1",
      "NaN",
      "Infinity",
      Number.NaN,
      "9".repeat(61),
      "1e9999"
    ])
      assert.isUndefined(parseDecimal(value))
  })

  it("writes out no more than it is asked to", () => {
    for (const [value, text] of [
      ["-12.5e+999", `-125${"0".repeat(9)}`],
      ["5e-999", "0.0000000005"],
      ["1e-10", "0.0000000001"],
      ["3", "3"]
    ] as const)
      assert.strictEqual(formatDecimal(parseDecimal(value, 10) ?? { digits: 0n, scale: 0 }), text)
  })

  it("reads every number back", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        assert.strictEqual(Number(formatDecimal(parsed(value))), value === 0 ? 0 : value)
      })
    )
  })

  it("compares exactly, shifted too", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
        fc.bigInt({ min: -5n, max: 5n }),
        fc.nat(12),
        (integer, delta, places) => {
          const near = integer + delta
          const decimal = { digits: near, scale: 9 }
          assert.strictEqual(Math.sign(compareToDecimal(integer, shiftDecimal(decimal, 9))), Math.sign(Number(-delta)))
          assert.strictEqual(
            Math.sign(
              compareToDecimal(integer * 10n ** BigInt(places), shiftDecimal({ digits: near, scale: 0 }, places))
            ),
            Math.sign(Number(-delta))
          )
        }
      )
    )
    assert.isAbove(compareToDecimal(1n, parsed("0.999999999999999999999")), 0)
    assert.isBelow(compareToDecimal(1n, parsed("1.000000000000000000001")), 0)
    assert.isBelow(compareToDecimal(10n ** 300n, parsed(1e301)), 0)
  })

  it("is shifted by places, and keeps the decimals that are left", () => {
    for (const [digits, scale, places, text] of [
      [12_345n, 3, 0, "12.345"],
      [12_345n, 3, 1, "123.45"],
      [12_345n, 3, 3, "12345"],
      [12_345n, 3, 5, "1234500"],
      [-5n, 1, 3, "-500"],
      [5n, 0, -3, "0.005"],
      [-5n, 1, -1, "-0.05"],
      [0n, 2, 0, "0.00"]
    ] as const)
      assert.strictEqual(formatDecimal(shiftDecimal({ digits, scale }, places)), text)
  })

  it("is compared with an integer: less, equal or greater", () => {
    for (const [integer, value, order] of [
      [1n, "1.5", -1],
      [2n, "2.00", 0],
      [-1n, "-1.5", 1],
      [0n, "-0", 0]
    ] as const)
      assert.strictEqual(compareToDecimal(integer, parsed(value)), order)
  })
})
