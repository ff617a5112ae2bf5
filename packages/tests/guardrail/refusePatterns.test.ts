import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as fc from "fast-check"
import { RE2JS } from "re2js"
import { patternProblem, patternsOfFilters, refusePatterns } from "../../core/src/guardrail/guardrail.ts"

const filters = (...patterns: readonly string[]) =>
  patternsOfFilters(
    patterns.map((pattern) => ({ pattern, action: "flag" as const })),
    "patch."
  )

describe("refusePatterns", () => {
  it.effect("names each that cannot run in linear time, without repeating it", () =>
    Effect.gen(function* () {
      const { reason, issues } = yield* Effect.flip(refusePatterns(filters("^(?i)a+$", "canary(?=b)", "canary(")))
      assert.strictEqual(reason, "invalid_regex_pattern")
      assert.deepStrictEqual(
        issues?.map(({ path, code }) => [path, code]),
        [
          ["patch.content_filters.1.pattern", "invalid_regex_pattern"],
          ["patch.content_filters.2.pattern", "invalid_regex_pattern"]
        ]
      )
      assert.notInclude(JSON.stringify(issues), "canary")
    })
  )

  it.effect("compiles nothing that is longer than any pattern may be", () =>
    Effect.gen(function* () {
      yield* refusePatterns([{ path: "", pattern: "😀".repeat(10_000) }])
      const { issues } = yield* Effect.flip(refusePatterns([{ path: "", pattern: `(${"a".repeat(10_000)}` }]))
      assert.strictEqual(issues?.[0]?.message, "The pattern is too large")
    })
  )

  it.effect("compiles nothing that a count of its repetitions shows to be far too large", () =>
    Effect.gen(function* () {
      // Each takes seconds to compile, and a request may have a hundred.
      for (const piece of [
        "(?:x{0,100}){0,9}",
        "(?P<a>[](]y{0,100}){9}",
        "(?i:[[:alpha:](]{100}){1,9}",
        "\\Qa(b\\E{0,900}",
        "(){0,1000}"
      ]) {
        const pattern = piece.repeat(Math.floor(10_000 / piece.length))
        const { issues } = yield* Effect.flip(refusePatterns(filters(...Array.from({ length: 100 }, () => pattern))))
        assert.strictEqual(issues?.[0]?.message, "The pattern is too large", piece)
      }
    })
  )

  it.effect("has at most a hundred Unicode classes in a pattern", () =>
    Effect.gen(function* () {
      yield* refusePatterns(filters("\\pL".repeat(100), `[${"\\p{Greek}".repeat(100)}]`))
      const wide = "(?i)[a-\\x{10FFFF}]"
      yield* refusePatterns(filters(wide.repeat(100), "[a-zé]".repeat(1_000)))
      for (const pattern of ["\\pL".repeat(101), `[${"\\P{Greek}".repeat(101)}]`, wide.repeat(101)])
        yield* Effect.flip(refusePatterns(filters(pattern)))
    })
  )

  it("refuses no pattern before it is compiled that is not too large then", () => {
    const piece = fc.letrec<{ readonly part: string }>((part) => ({
      part: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom(
          "a",
          "é",
          "\\.",
          "\\d",
          "[a-z]",
          "[^]a]",
          "[[:digit:](]",
          "\\pL",
          "\\Q(*{2}\\E",
          "(?i)",
          "^",
          "."
        ),
        fc.tuple(part("part"), part("part")).map(([a, b]) => a + b),
        fc.tuple(part("part"), part("part")).map(([a, b]) => `(?:${a}|${b})`),
        fc
          .tuple(fc.constantFrom("(", "(?:", "(?s-m:", "(?P<n>"), part("part"), fc.constantFrom("", "*", "+?", "?"))
          .map(([open, inner, times]) => `${open}${inner})${times}`),
        fc
          .tuple(part("part"), fc.nat(40), fc.nat(20), fc.constantFrom("", "?"))
          .map(([inner, least, more, lazy]) => `(?:${inner}){${least},${least + more}}${lazy}`),
        fc.tuple(part("part"), fc.integer({ min: 1, max: 30 })).map(([inner, times]) => `(?:${inner}){${times}}`)
      )
    })).part
    fc.assert(
      fc.property(piece, (pattern) => {
        let size: number
        try {
          size = RE2JS.compile(pattern).programSize()
        } catch {
          return
        }
        assert.strictEqual(patternProblem(pattern) === undefined, size <= 10_002, `${size} ${pattern}`)
      }),
      { numRuns: 500 }
    )
  })

  it.live("lets everybody else go on between two patterns", () =>
    Effect.gen(function* () {
      const fiber = Effect.runFork(refusePatterns(filters("a".repeat(200), "b".repeat(200))))
      assert.isUndefined(fiber.pollUnsafe())
      yield* Fiber.join(fiber)
    })
  )
})
