import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { patternsOfFilters, refusePatterns } from "../../core/src/guardrail/guardrail.ts"

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

  it.live("lets everybody else go on between two patterns", () =>
    Effect.gen(function* () {
      const fiber = Effect.runFork(refusePatterns(filters("a", "b")))
      assert.isUndefined(fiber.pollUnsafe())
      yield* Fiber.join(fiber)
    })
  )
})
