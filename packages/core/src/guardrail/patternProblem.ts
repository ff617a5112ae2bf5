/**
 * Custom filter patterns are the RE2 syntax that `re2js` accepts, so that no text can make them slow.
 *
 * Rule: filters#patterns. Look-around, back-references and programs too large are refused when they are written.
 */
import { RE2JS } from "re2js"

/** Of content filters, where the contract says so, and of what else is a pattern. */
const maxCharacters = 10_000

/**
 * Instructions of the compiled program: one for each character of the longest pattern, one to begin and one to match. Repetition
 * of repetition is what makes it explode.
 */
const maxProgramSize = maxCharacters + 2

const tooLarge = "The pattern is too large"

/** Why a pattern cannot be used; undefined when it can. Never repeats the pattern, which may hold what it is to find. */
export const patternProblem = (pattern: string): string | undefined => {
  // A character is at most two units; a text of megabytes is not even to be compiled.
  if (pattern.length > 2 * maxCharacters || Array.from(pattern).length > maxCharacters) return tooLarge
  try {
    return RE2JS.compile(pattern).programSize() > maxProgramSize ? tooLarge : undefined
  } catch {
    return "The pattern is not in the RE2 syntax: no look-around, no back-references, no repetition above 1000"
  }
}
