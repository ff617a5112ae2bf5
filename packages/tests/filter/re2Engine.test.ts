/** Which patterns the native engine runs, without the native engine. */
import { re2EngineOf } from "@gatewarden/core/internal/scanning"
import { assert, it } from "@effect/vitest"

/** The patterns that the native engine is given. */
const given = (patterns: readonly string[]): readonly string[] => {
  const compiled: string[] = []
  class Native extends RegExp {
    constructor(pattern: string) {
      super("native")
      compiled.push(pattern)
    }
  }
  for (const pattern of patterns) re2EngineOf(Native).compile(pattern)
  return compiled
}

it("a group that is repeated and may match nothing is left to re2js", () => {
  const native = ["(a)(b)", "(ab){2}", "(ab){2,3}c"]
  assert.deepEqual(given(["(a?){2}", "(a){0,2}(b)+", ...native, "(a|){3}"]), native)
})

it("a pattern with 300,000 repetitions that do not end is read once", () => {
  const pattern = "){1".repeat(300_000)
  assert.deepEqual(given([pattern]), [pattern])
})
