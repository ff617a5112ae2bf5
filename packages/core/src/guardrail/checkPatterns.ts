/**
 * Custom filter patterns are the RE2 syntax that `re2js` accepts, so that no text can make them slow.
 *
 * Source: decisions 5. Look-around, back-references and programs too large are refused when they are written.
 */
import type { ContentFilter, Issue } from "@gatewarden/contract"
import { RE2JS } from "re2js"

/**
 * Instructions of the compiled program: one for each character of the longest pattern, one to begin and one to match. Repetition
 * of repetition is what makes it explode.
 */
const maxProgramSize = 10_002

/** `at`: where the filters' guardrail is in what was sent, with its last dot. */
export const checkPatterns = (filters: readonly Pick<ContentFilter, "pattern">[], at = ""): readonly Issue[] =>
  filters.flatMap(({ pattern }, index) => {
    const problem = patternProblem(pattern)
    return problem === undefined
      ? []
      : [{ path: `${at}content_filters.${index}.pattern`, code: "invalid_regex_pattern", message: problem }]
  })

/** Why a pattern cannot be used; undefined when it can. Never repeats the pattern, which may hold what it is to find. */
export const patternProblem = (pattern: string): string | undefined => {
  try {
    return RE2JS.compile(pattern).programSize() > maxProgramSize ? "The pattern is too large" : undefined
  } catch {
    return "The pattern is not in the RE2 syntax: no look-around, no back-references, no repetition above 1000"
  }
}
