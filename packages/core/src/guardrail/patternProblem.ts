/**
 * Custom filter patterns are the RE2 syntax that `re2js` accepts, so that no text can make them slow.
 *
 * Rule: content-filters#patterns. Look-around, back-references and programs too large are refused when they are written.
 */
import { RE2JS } from "re2js"

/** For content filters, where the contract declares it, and for other patterns. */
const maxCharacters = 10_000

/**
 * Instructions of the compiled program: one for each character of the longest pattern, one to begin and one to match. Repetition
 * of repetition is what makes it explode.
 */
const maxProgramSize = maxCharacters + 2

const tooLarge = "The pattern is too large"

/** Why a pattern is refused; undefined if it is accepted. Never repeats the pattern, which may contain the secret that it is to find. */
export const patternProblem = (pattern: string): string | undefined => {
  // A character has at most two code units. A text of megabytes is refused before it is compiled.
  if (pattern.length > 2 * maxCharacters || Array.from(pattern).length > maxCharacters) return tooLarge
  try {
    return RE2JS.compile(pattern).programSize() > maxProgramSize ? tooLarge : undefined
  } catch {
    return "The pattern is not in the RE2 syntax: no look-around, no back-references, no repetition above 1000"
  }
}
