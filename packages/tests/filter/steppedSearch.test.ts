import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { RE2JS } from "re2js"
import { pattern, sampleText } from "@gatewarden/testkit/arbitraries/patterns"
import { spanOf } from "../../core/src/filter/patterns/re2jsEngine.ts"
import { re2ProgramOf } from "../../core/src/filter/patterns/re2Program.ts"
import type { Span } from "../../core/src/filter/readings/Reading.ts"
import { stepInstructions, steppedSearch } from "../../core/src/filter/patterns/steppedSearch.ts"

/** As engines get it. */
const wellFormed = sampleText.map((text) => text.replace(/\p{Surrogate}/gu, "\ufffd"))

const whole = (compiled: RE2JS, text: string): readonly Span[] => {
  const matcher = compiled.matcher(text)
  const spans: Span[] = []
  for (let from = 0; from <= text.length && matcher.find(from);) {
    spans.push({ start: matcher.start(), end: matcher.end() })
    from = spanOf(text, matcher.start(), matcher.end()).end
  }
  return spans
}

const stepped = (compiled: RE2JS, text: string): { readonly spans: readonly Span[]; readonly pauses: number } => {
  const { search } = steppedSearch(re2ProgramOf(compiled), text)
  const spans: Span[] = []
  let pauses = 0
  for (let from = 0; ;) {
    const found = search(from)
    if (found === undefined) return { spans, pauses }
    if (found === "paused") pauses++
    else {
      spans.push(found)
      from = spanOf(text, found.start, found.end).end
    }
  }
}

/** A pattern, what it cannot make up its mind about, how much of it, and how many instructions a character takes at least. */
const hostile: readonly (readonly [string, string, number, number])[] = [
  ["x*y|x", "x", 300_000, 1],
  ["(?:a+)+$", "ab", 300_000, 1],
  ["^(?:a|b)*$", "ab", 300_000, 2],
  ["\\bzzz\\b", "zz z ", 300_000, 1],
  ["(x+x+)+y", "x", 100_000, 3],
  ["(?:.*a){12}", "ab", 50_000, 6],
  ["[a-z]{500}[0-9]", "abcd", 5_000, 400],
  [`${"a".repeat(500)}b`, "a", 5_000, 400]
]

describe("steppedSearch", () => {
  it("finds what re2js finds, empty matches among it", () =>
    fc.assert(
      fc.property(pattern, wellFormed, (source, text) => {
        const compiled = RE2JS.compile(source)
        assert.deepEqual(stepped(compiled, text).spans, whole(compiled, text))
      }),
      { numRuns: 5_000 }
    ))

  it("finds the same when it was left in between", () =>
    fc.assert(
      fc.property(pattern, wellFormed, fc.constantFrom("a", "ab ", "é😀", "\n", "1_"), (source, text, unit) => {
        const compiled = RE2JS.compile(source)
        const long = text + unit.repeat(4_000) + text
        const found = whole(compiled, long).slice(0, 50)
        assert.deepEqual(stepped(compiled, long).spans.slice(0, 50), found)
      }),
      { numRuns: 100 }
    ))

  it("is left after a bounded number of instructions, whatever the pattern and the text", () => {
    for (const [source, unit, length, least] of hostile) {
      const text = unit.repeat(length / unit.length)
      const { search } = steppedSearch(re2ProgramOf(RE2JS.compile(source)), text)
      let steps = 1
      while (search(0) === "paused") steps++
      assert.isAtLeast(steps, (length * least) / stepInstructions, source)
      assert.isAbove(steps, 1, source)
    }
  })
})
