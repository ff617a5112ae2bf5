/** The JSON of an answer: the same text in pieces of about 64 KiB, and a page of at most 4 MiB. */
import { assert, describe, it } from "@effect/vitest"
import { joinBytes } from "../../core/src/value/bytes.ts"
import { maxPageBytes } from "../../core/src/value/Page.ts"
import { jsonBytes, jsonPieces, listInSteps, printed, printedInSteps } from "../../core/src/value/printed.ts"
import { runSteps } from "./runSteps.ts"

const piece = 65_536

/** The pieces of a value, which make up its JSON. */
const piecesOf = (value: unknown): readonly string[] => {
  const pieces = [...jsonPieces(value)]
  assert.strictEqual(pieces.join(""), JSON.stringify(value) ?? "null")
  const bytes = runSteps(jsonBytes(value)).value
  assert.strictEqual(new TextDecoder().decode(joinBytes(bytes)), JSON.stringify(value) ?? "null")
  assert.isTrue(bytes.every(({ length }) => length > 0))
  return pieces
}

/** More than can be written at once; it takes a piece of its own. */
const filler = "f".repeat(piece + 1)

describe("the JSON of a value", () => {
  it("is one piece if it is short, whatever its type", () => {
    for (const value of [
      null,
      undefined,
      1.5,
      true,
      "é\n",
      "",
      [],
      {},
      [[], {}, null, undefined, () => 1],
      { a: undefined, b: Symbol("b"), c: new Date(0), d: { e: [1] } }
    ])
      assert.lengthOf(piecesOf(value), 1)
    for (const value of [() => 1, Symbol("a")]) assert.deepStrictEqual([...jsonPieces(value)], ["null"])
  })

  it("is what JSON.stringify writes beside what is long", () => {
    class Money {
      readonly usd = 1
      toJSON(key: unknown) {
        return { usd: `${this.usd}`, key, toJSON: () => "not again" }
      }
    }
    for (const value of [
      null,
      undefined,
      Number.NaN,
      -0,
      false,
      "a\u2028\ud800",
      () => 1,
      Symbol("a"),
      [],
      {},
      [undefined, () => 1, Symbol("a"), null, [], {}],
      { a: undefined, b: () => 1, c: Symbol("c"), d: null, e: [], f: {}, g: 1 },
      { first: undefined, 'é"': 1, "": 2 },
      new Date(1),
      { toJSON: 1 },
      { toJSON: () => undefined },
      { toJSON: () => () => 1 },
      { toJSON: () => new Date(2) },
      Object.assign([1], { toJSON: () => "a list" }),
      [[[[1], 2], 3], 4]
    ]) {
      piecesOf([filler, value, value])
      piecesOf({ filler, value, again: value })
      piecesOf({ value, filler })
    }
    const money = new Money()
    piecesOf({ filler, money, list: [money, [money]] })
    piecesOf(Object.assign([filler], { toJSON: () => money }))
  })

  for (const [what, value, most] of [
    ["one long text", "x".repeat(5 * piece), piece + 2],
    ["a long text in an object", { a: "x".repeat(5 * piece) }, piece + 9],
    ["many texts in a list", Array.from({ length: 90 }, () => "x".repeat(4_000)), piece + 4_100],
    ["many numbers in a list", Array.from({ length: 30_000 }, () => 1.234_567), piece + 99],
    [
      "lists of few numbers",
      Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => 1_234_567_890)),
      piece + 99
    ],
    ["objects of few members", Array.from({ length: 100 }, () => ({ ["k".repeat(2_000)]: { a: 1 } })), piece + 2_100],
    ["many members", Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`member ${at}`, at])), piece + 99]
  ] as const)
    it(`is in pieces of about 64 KiB: ${what}`, () => {
      const pieces = piecesOf(value)
      const { length } = pieces.join("")
      assert.isAtMost(Math.max(...pieces.map(({ length }) => length)), most)
      assert.isAtLeast(pieces.length, Math.floor(length / most))
      assert.isAtMost(pieces.length, Math.ceil(length / piece) + 1)
      const bytes = runSteps(jsonBytes(value))
      assert.strictEqual(bytes.steps, pieces.length + 1)
      for (const one of bytes.value.slice(0, -1)) assert.isAtLeast(one.length, piece)
      assert.isAtMost(Math.max(...bytes.value.map(({ length }) => length)), most + piece)
    })

  it("is not cut within a surrogate pair", () => {
    for (let shift = 0; shift < 2; shift++)
      for (const one of piecesOf(["x".repeat(shift) + "🙂".repeat(piece)]))
        assert.isFalse(/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(one))
    piecesOf([`${"x".repeat(piece - 1)}\ud83d`])
    for (const unit of ["\ud800\udc00", "\udbff\udfff", "\udc00", "\ud7ff", "\ue000"]) {
      const long = `${"x".repeat(piece - 1)}${unit}y`
      const pieces = piecesOf([long])
      assert.strictEqual(
        pieces[0],
        unit.length === 2
          ? `["${"x".repeat(piece - 1)}`
          : `["${"x".repeat(piece - 1)}${JSON.stringify(unit).slice(1, -1)}`
      )
    }
  })

  it("is nested up to 4,000 deep", () => {
    const nested = (depth: number) => {
      let value: unknown = filler
      for (let at = 0; at < depth; at++) value = at % 2 === 0 ? [value] : { a: value }
      return value
    }
    piecesOf(nested(4_000))
    assert.throws(() => [...jsonPieces(nested(4_001))], RangeError, "nested too deep")
  })
})

/** A text whose JSON takes so many bytes, quotes included. */
const text = (bytes: number, unit = "x") =>
  unit.repeat(Math.floor((bytes - 2) / Buffer.byteLength(unit))) + "x".repeat((bytes - 2) % Buffer.byteLength(unit))

const inSteps = (value: unknown): string => new TextDecoder().decode(joinBytes(runSteps(printedInSteps(value)).value))

for (const [how, print] of [
  ["at once", printed],
  ["in steps", inSteps]
] as const)
  describe(`an answer that is printed ${how}`, () => {
    it("is the JSON of the value, with the entries of a list first", () => {
      for (const [value, json] of [
        [null, "null"],
        ["a", '"a"'],
        [[1], "[1]"],
        [{ a: 1, data: [2] }, '{"a":1,"data":[2]}'],
        [{ total_count: 1, data: "a" }, '{"total_count":1,"data":"a"}'],
        [{ total_count: 1 }, '{"total_count":1}'],
        [{ itemsPerPage: 1, Resources: {} }, '{"itemsPerPage":1,"Resources":{}}'],
        [{ itemsPerPage: 7 }, '{"itemsPerPage":7}'],
        [{ a: 1, Resources: [2] }, '{"a":1,"Resources":[2]}'],
        [{ total_count: 9, data: [1, { b: 2 }], more: "x" }, '{"data":[1,{"b":2}],"total_count":9,"more":"x"}'],
        [{ total_count: 0, data: [] }, '{"data":[],"total_count":0}'],
        [
          { totalResults: 9, itemsPerPage: 7, Resources: [1, 2], startIndex: 1 },
          '{"Resources":[1,2],"totalResults":9,"itemsPerPage":2,"startIndex":1}'
        ],
        [{ totalResults: 0, itemsPerPage: 7, Resources: [] }, '{"Resources":[],"totalResults":0,"itemsPerPage":0}']
      ] as const)
        assert.strictEqual(print(value), json)
    })

    const shown = (Resources: readonly unknown[]): number =>
      Number(/"itemsPerPage":(\d+)\}$/.exec(print({ Resources, itemsPerPage: 99 }).slice(-30))?.[1])

    for (const unit of ["x", "é", "語"])
      it(`has a page of 4 MiB of entries, to the byte, of texts of ${unit}`, () => {
        const third = Math.floor(maxPageBytes / 3)
        const rest = maxPageBytes - 2 * third
        const entries = [text(third, unit), text(third, unit)]
        assert.strictEqual(shown([...entries, text(rest, unit), 1, 2]), 3)
        assert.strictEqual(shown([...entries, text(rest - 1, unit), 1, 2]), 4)
        assert.strictEqual(shown([...entries, text(rest + 1, unit), 1]), 2)
      })

    it("has one entry that is larger than a page, and only it", () => {
      const large = text(maxPageBytes + 1)
      assert.strictEqual(shown([large]), 1)
      assert.strictEqual(shown([large, 1]), 1)
      assert.strictEqual(shown([1, large, 2]), 1)
      assert.strictEqual(shown([text(maxPageBytes), 1]), 1)
    })
  })

describe("a list that is printed in steps", () => {
  it("is in pieces of about 64 KiB, none of them empty", () => {
    for (const [size, count, pieces] of [
      [1_000, 10, 1],
      [1_000, 100, 2],
      [65_536, 3, 4],
      [200_000, 2, 7]
    ] as const) {
      const entries = Array.from({ length: count }, () => text(size))
      const { value } = runSteps(listInSteps({ entries, name: "rows", rest: (shown) => ({ shown }) }))
      assert.strictEqual(
        new TextDecoder().decode(joinBytes(value)),
        `{"rows":${JSON.stringify(entries)},"shown":${count}}`
      )
      assert.strictEqual(value.length, pieces, `${count} of ${size}`)
      assert.isTrue(value.every(({ length }) => length > 0 && length < 140_000))
    }
  })

  it("looks at no entry behind the one that ends the page", () => {
    const looked: number[] = []
    const entries = (function* () {
      for (let index = 0; ; index++) {
        looked.push(index)
        yield text(maxPageBytes / 2)
      }
    })()
    runSteps(listInSteps({ entries, name: "rows", rest: () => ({}) }))
    assert.deepEqual(looked, [0, 1, 2])
  })
})
