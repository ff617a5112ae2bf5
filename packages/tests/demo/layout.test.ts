import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { layoutTable, wrap, wrapIndented } from "../../node/src/demo/layout.ts"

const plain = (text: string) => text

describe("wrap", () => {
  it("breaks between words and after commas", () => {
    assert.deepEqual(wrap("one two three", 7), ["one two", "three"])
    assert.deepEqual(wrap('["azure","together"]', 10), ['["azure",', '"together"]'])
    assert.deepEqual(wrap("unbreakable word", 5), ["unbreakable", "word"])
    assert.deepEqual(wrap("", 5), [""])
    assert.strictEqual(wrapIndented("one two three", 11, "  ", "  "), "  one two\n    three")
  })

  it("keeps every word whole and in order, and every line of several words within the width", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 40 }), (given, width) => {
        const lines = wrap(given.join(" "), width)
        assert.deepEqual(lines.join(" ").split(" "), given)
        for (const line of lines) if (line.includes(" ")) assert.isAtMost(line.length, width)
      })
    )
  })
})

describe("layoutTable", () => {
  const rows = [
    ["endpoint", "field", "value"],
    ["openai", "allowed_providers", "azure, together, deepinfra, novita"],
    ["", "allowed_models", "acme/small"]
  ]

  it("leaves alone what fits", () => {
    assert.strictEqual(
      layoutTable(rows, 80, plain),
      [
        "endpoint  field              value",
        "openai    allowed_providers  azure, together, deepinfra, novita",
        "          allowed_models     acme/small"
      ].join("\n")
    )
  })

  it("wraps the widest cells", () => {
    assert.strictEqual(
      layoutTable(rows, 50, plain),
      [
        "endpoint  field              value",
        "openai    allowed_providers  azure, together,",
        "                             deepinfra, novita",
        "          allowed_models     acme/small"
      ].join("\n")
    )
  })

  it("makes a list of what cannot stand side by side", () => {
    assert.strictEqual(
      layoutTable(rows, 30, plain),
      [
        "endpoint: openai",
        "field: allowed_providers",
        "value: azure, together,",
        "deepinfra, novita",
        "",
        "field: allowed_models",
        "value: acme/small"
      ].join("\n")
    )
  })

  it("paints what is shown, and no space beside it", () => {
    const painted = layoutTable(rows, 80, (text, row, column) => (row === 1 && column === 0 ? `<${text}>` : text))
    assert.include(painted, "\n<openai>    allowed_providers")
  })
})
