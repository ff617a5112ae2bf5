/** The default engine. Imports nothing of Effect, so that a thread can load it alone. */
import { Context } from "effect"
import { RE2JS } from "re2js"
import type { Finder } from "../readings/Reading.ts"
import { re2ProgramOf, requiredStrings } from "./re2Program.ts"
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

/**
 * What engines have compiled, so that a pattern is compiled once. Imports nothing of Effect, so that a thread can load it alone.
 *
 * A cache of compiled patterns; the oldest entry is evicted when it is full.
 */
export const keptPatterns = <T>(capacity: number) => {
  const engines = new WeakMap<PatternEngineFunctions, Map<string, T>>()
  return (engine: PatternEngineFunctions, name: string, make: () => T): T => {
    const made = engines.get(engine) ?? new Map<string, T>()
    engines.set(engine, made)
    const known = made.get(name)
    if (known !== undefined) return known
    const oldest = made.size >= capacity ? made.keys().next().value : undefined
    if (oldest !== undefined) made.delete(oldest)
    const fresh = make()
    made.set(name, fresh)
    return fresh
  }
}

const finders = keptPatterns<Finder>(2_000)

/** The compiled form of a pattern that `patternProblem` accepts. */
export const finderOf = (engine: PatternEngineFunctions, pattern: string): Finder =>
  finders(engine, pattern, () => engine.compile(pattern))

/**
 * Runs custom patterns: RE2 syntax, linear in the text for each match. `re2js` by default; a platform may give one that is
 * faster and finds the same.
 *
 * Rule: content-filters#patterns.
 */
export const PatternEngine = Context.Reference<PatternEngineFunctions>("gatewarden/PatternEngine", {
  defaultValue: () => re2jsEngine
})
