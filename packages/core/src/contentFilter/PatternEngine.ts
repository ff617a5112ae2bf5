/**
 * Runs custom patterns: RE2 syntax, linear in the text for each match. `re2js` by default; a platform may give one that is
 * faster and finds the same.
 *
 * Source: decisions 5; issue: content filters.
 */
import { Context } from "effect"
import { RE2JS } from "re2js"
import type { Finder } from "./Span.ts"

export interface CompiledPattern extends Finder {
  /** Instructions of the program; times the length of a text an upper bound on the work of one step. */
  readonly size: number
}

export interface PatternEngineFunctions {
  readonly name: string
  /** A pattern that `patternProblem` has nothing against. */
  readonly compile: (pattern: string) => CompiledPattern
  /** Which of the patterns match at all, in one pass; undefined where the engine cannot tell. */
  readonly prefilter?: (patterns: readonly string[]) => ((text: string) => ReadonlySet<number>) | undefined
}

/** An empty match finds nothing; the search goes on behind the next character. */
export const spanOf = (text: string, start: number, end: number) => {
  if (end > start) return { start, end }
  const after = start + ((text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1)
  return { start: after, end: after }
}

export const re2jsEngine: PatternEngineFunctions = {
  name: "re2js",
  compile: (pattern) => {
    const compiled = RE2JS.compile(pattern)
    return {
      size: compiled.programSize(),
      search: (text) => {
        const matcher = compiled.matcher(text)
        return (from) =>
          from <= text.length && matcher.find(from) ? spanOf(text, matcher.start(), matcher.end()) : undefined
      }
    }
  }
}

export const PatternEngine = Context.Reference<PatternEngineFunctions>("gatewarden/PatternEngine", {
  defaultValue: () => re2jsEngine
})
