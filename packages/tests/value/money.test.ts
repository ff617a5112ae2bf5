import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { unknownPrice } from "@gatewarden/contract/internal"
import {
  countAsJson,
  formatUsd,
  isKnownPrice,
  largest,
  nanosOf,
  parseUsd,
  recordableNanos,
  unitsOf,
  usdAsJson,
  usdAtLeast,
  usdNumber
} from "../../core/src/value/money.ts"

const accepted: readonly (readonly [input: string | number, nanos: bigint])[] = [
  ["0", 0n],
  ["0.0", 0n],
  ["0.000000000", 0n],
  ["0.000000001", 1n],
  ["0.1", 100_000_000n],
  ["1", 1_000_000_000n],
  ["1.10", 1_100_000_000n],
  ["12.345678901", 12_345_678_901n],
  ["999999999.999999999", 999_999_999_999_999_999n],
  ["1000000000", 1_000_000_000_000_000_000n],
  ["1000000000.000000000", 1_000_000_000_000_000_000n],
  [0, 0n],
  [-0, 0n],
  [1e-9, 1n],
  [1.5e-8, 15n],
  [1.23e-7, 123n],
  [0.000001, 1000n],
  [0.1, 100_000_000n],
  [0.3, 300_000_000n],
  [1e3, 1_000_000_000_000n],
  [1e9, 1_000_000_000_000_000_000n],
  [1250.5, 1_250_500_000_000n],
  [999_999_999.5, 999_999_999_500_000_000n],
  [123_456_789.123_456_78, 123_456_789_123_456_780n]
]

const refused: readonly (string | number)[] = [
  "",
  " ",
  " 1",
  "1 ",
  "1\n",
  "+1",
  "-1",
  "-0",
  "1.",
  ".5",
  ".",
  "01",
  "00",
  "00.5",
  "1e3",
  "1E3",
  "1e-9",
  "0x10",
  "1_000",
  "1,000",
  "1,5",
  "$1",
  "NaN",
  "Infinity",
  "1.0000000000",
  "0.0000000001",
  "1000000000.000000001",
  "1000000001",
  "10000000000",
  "9".repeat(100_000),
  `0.${"0".repeat(100_000)}`,
  "１",
  "٣",
  "1\u0000",
  -1,
  -1e-9,
  NaN,
  Infinity,
  -Infinity,
  1e-10,
  1.5e-9,
  5e-324,
  0.1 + 0.2,
  1_000_000_000.1,
  1e10,
  1e21,
  Number.MAX_VALUE
]

const maxNanos = 10n ** 18n
const nanosIn = fc.oneof(
  fc.bigInt({ min: 0n, max: maxNanos }),
  fc.bigInt({ min: 0n, max: 10_000_000_000n }),
  fc.bigInt({ min: 0n, max: 1_000_000_000n }).map((usd) => usd * 1_000_000_000n)
)

describe("parseUsd", () => {
  it("reads exactly", () => {
    for (const [input, nanos] of accepted) assert.strictEqual(parseUsd(input), nanos, String(input))
  })

  it("refuses", () => {
    for (const input of refused) assert.isUndefined(parseUsd(input), String(input).slice(0, 40))
  })

  it("reads back every amount, however many zeros follow", () => {
    fc.assert(
      fc.property(nanosIn, fc.nat({ max: 9 }), (nanos, zeros) => {
        const text = formatUsd(nanos)
        assert.strictEqual(parseUsd(text), nanos)
        const [whole = "", fraction = ""] = text.split(".")
        const longer = `${whole}.${fraction.padEnd(Math.max(1, fraction.length, zeros), "0")}`
        assert.strictEqual(parseUsd(longer), nanos)
      })
    )
  })

  it("reads a number as the decimal that it prints", () => {
    fc.assert(
      fc.property(nanosIn, (nanos) => {
        const number = Number(formatUsd(nanos))
        const read = parseUsd(number)
        // Fifteen significant digits always survive a double.
        if (nanos.toString().replace(/0+$/, "").length <= 15) assert.strictEqual(read, nanos)
        if (read !== undefined) assert.strictEqual(Number(formatUsd(read)), number)
      })
    )
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (number) => {
        const read = parseUsd(number)
        const decimals = Number(number.toFixed(9)) === number
        assert.strictEqual(read !== undefined, decimals, String(number))
        if (read !== undefined) assert.strictEqual(Number(formatUsd(read)), number)
      })
    )
  })
})

describe("usdNumber", () => {
  it("is the number of the decimals of every amount", () => {
    const check = (nanos: bigint) => assert.strictEqual(usdNumber(nanos), Number(formatUsd(nanos)))
    const most = BigInt(Number.MAX_SAFE_INTEGER)
    for (const nanos of [0n, 1n, -1n, most, most + 1n, -most, -most - 1n, 10n ** 30n + 1n]) check(nanos)
    fc.assert(fc.property(fc.bigInt({ min: -most, max: most }), check))
    fc.assert(fc.property(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), check))
  })
})

describe("formatUsd", () => {
  it("writes plain decimals", () => {
    const cases: readonly (readonly [bigint, string])[] = [
      [0n, "0"],
      [1n, "0.000000001"],
      [10n, "0.00000001"],
      [100_000_000n, "0.1"],
      [1_000_000_000n, "1"],
      [12_500_000_000n, "12.5"],
      [10n ** 30n, "1000000000000000000000"],
      [10n ** 30n + 1n, "1000000000000000000000.000000001"],
      [-1_500_000_000n, "-1.5"]
    ]
    for (const [nanos, text] of cases) assert.strictEqual(formatUsd(nanos), text)
  })
})

describe("usdAsJson", () => {
  it("is a number up to 9,007,199 and a string beyond", () => {
    assert.strictEqual(usdAsJson(0n), 0)
    assert.strictEqual(usdAsJson(1n), 1e-9)
    assert.strictEqual(usdAsJson(1_234_567_891n), 1.234567891)
    assert.strictEqual(usdAsJson(9_007_199_000_000_000n), 9_007_199)
    assert.strictEqual(usdAsJson(9_007_199_000_000_001n), "9007199.000000001")
    assert.strictEqual(usdAsJson(10n ** 24n), "1000000000000000")
  })

  it("loses nothing below 2^23, and at most one in the last decimal up to the limit", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 8_388_608_000_000_000n }), (nanos) => {
        assert.strictEqual(parseUsd(usdAsJson(nanos)), nanos)
      })
    )
    fc.assert(
      fc.property(fc.bigInt({ min: 8_388_608_000_000_000n, max: 9_007_199_000_000_000n }), (nanos) => {
        const read = parseUsd(usdAsJson(nanos))
        assert.isDefined(read, "at most nine decimals")
        assert.isAtMost(Math.abs(Number((read ?? 0n) - nanos)), 1)
      })
    )
  })
})

describe("countAsJson", () => {
  it("is a number while it is a safe one", () => {
    assert.strictEqual(countAsJson(0n), 0)
    assert.strictEqual(countAsJson(9_007_199_254_740_991n), Number.MAX_SAFE_INTEGER)
    assert.strictEqual(countAsJson(9_007_199_254_740_992n), "9007199254740992")
    assert.strictEqual(countAsJson(10n ** 40n), `1${"0".repeat(40)}`)
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 1n << 60n }), (count) => {
        assert.strictEqual(BigInt(countAsJson(count)), count)
        assert.strictEqual(typeof countAsJson(count) === "number", count < 1n << 53n)
      })
    )
  })
})

describe("a price", () => {
  it("is known but for one, and is read as integers of 1e-24 USD", () => {
    for (const [price, units] of [
      ["0", 0n],
      ["1", 10n ** 24n],
      ["12.5", 125n * 10n ** 23n],
      ["0.000000000000000000000001", 1n],
      ["0.00000025", 25n * 10n ** 16n]
    ] as const) {
      assert.isTrue(isKnownPrice(price))
      assert.strictEqual(unitsOf(price), units)
    }
    assert.isFalse(isKnownPrice(unknownPrice))
  })

  it("is rounded up to nano-dollars", () => {
    for (const [units, nanos] of [
      [0n, 0n],
      [1n, 1n],
      [10n ** 15n - 1n, 1n],
      [10n ** 15n, 1n],
      [10n ** 15n + 1n, 2n],
      [10n ** 24n, 10n ** 9n]
    ] as const)
      assert.strictEqual(nanosOf(units), nanos)
  })
})

describe("amounts", () => {
  it("have a largest, which is 0 where there are none", () => {
    assert.strictEqual(largest([]), 0n)
    assert.strictEqual(largest([3n, 7n, 5n]), 7n)
    assert.strictEqual(largest([7n]), 7n)
  })

  it("are recorded up to a billion USD", () => {
    for (const [nanos, recorded] of [
      [0n, 0n],
      [maxNanos - 1n, maxNanos - 1n],
      [maxNanos, maxNanos],
      [maxNanos + 1n, maxNanos],
      [10n ** 30n, maxNanos]
    ] as const)
      assert.strictEqual(recordableNanos(nanos), recorded)
  })

  it("below 0 are printed as those above, with a sign", () => {
    assert.strictEqual(usdAsJson(-1_500_000_000n), -1.5)
    assert.strictEqual(usdAsJson(-9_007_199_000_000_000n), -9_007_199)
    assert.strictEqual(usdAsJson(-9_007_199_000_000_001n), "-9007199.000000001")
    assert.strictEqual(countAsJson(-9_007_199_254_740_991n), -Number.MAX_SAFE_INTEGER)
    assert.strictEqual(countAsJson(-9_007_199_254_740_992n), "-9007199254740992")
  })
})

describe("usdAtLeast", () => {
  it("is the amount itself where a JSON number can say it, and the next one that can", () => {
    for (const [nanos, usd] of [
      [0n, 0],
      [1n, 1e-9],
      [1_500_000_000n, 1.5],
      [maxNanos - 1n, 1e9],
      [maxNanos, 1e9],
      [maxNanos + 1n, null]
    ] as const)
      assert.strictEqual(usdAtLeast(nanos), usd)
  })

  it("is never less, and off by less than a double is exact", () => {
    fc.assert(
      fc.property(nanosIn, (nanos) => {
        const read = parseUsd(usdAtLeast(nanos) ?? Number.NaN)
        assert.isTrue(read !== undefined && read >= nanos && read - nanos < 200n, `${nanos}`)
      })
    )
  })
})
