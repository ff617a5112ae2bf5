/** The default engine. Imports nothing of Effect, so that a thread can load it alone. */
import { RE2JS } from "re2js"
import { re2ProgramOf, requiredStrings } from "./re2Program.ts"
import type { Finder } from "../readings/Span.ts"
import { steppedSearch } from "./steppedSearch.ts"

export interface PatternEngineFunctions {
  readonly name: string
  /** The minimum speed, in instructions times characters for a millisecond. */
  readonly pace: number
  /** A pattern that `patternProblem` accepts. */
  readonly compile: (pattern: string) => Finder
  /** Which of the patterns match at all, in one pass; undefined where the engine cannot tell. */
  readonly prefilter?: (patterns: readonly string[]) => ((text: string) => ReadonlySet<number>) | undefined
}

/** An empty match finds nothing; the search goes on behind the next character. */
export const spanOf = (text: string, start: number, end: number) => {
  if (end > start) return { start, end }
  const after = start + ((text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1)
  return { start: after, end: after }
}

/** Instructions times characters that a search by `re2js` itself may take: it cannot be left before its end. */
const wholeWork = 200_000
/** A search for a string is the fastest there is, if the string is short. */
const longestLiteral = 16

export const re2jsEngine: PatternEngineFunctions = {
  name: "re2js",
  pace: 50_000,
  compile: (pattern) => {
    const compiled = RE2JS.compile(pattern)
    const program = re2ProgramOf(compiled)
    const strings = requiredStrings(program.required)
    return {
      search: (text) => {
        if (
          text.length * program.inst.length <= wholeWork ||
          (program.isLiteral && program.prefix.length <= longestLiteral)
        ) {
          const matcher = compiled.matcher(text)
          return (from) =>
            from <= text.length && matcher.find(from) ? spanOf(text, matcher.start(), matcher.end()) : undefined
        }
        if (strings?.every((one) => !text.includes(one)) === true) return () => undefined
        const { search } = steppedSearch(program, text)
        return (from) => {
          const found = search(from)
          if (found === "paused") return { start: from, end: from }
          return found && spanOf(text, found.start, found.end)
        }
      }
    }
  }
}
