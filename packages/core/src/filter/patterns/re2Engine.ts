/**
 * The native RE2, if a platform passes the package `re2`; the core loads no native modules.
 *
 * It runs only what it compiles, and only what it reads as `re2js` does: the binding rewrites some escapes of JavaScript, and
 * tables of Unicode properties age; and `\B` holds between the bytes of one character. Where a repeated group may match nothing the two
 * differ in rare cases (`(?:(?:\b|a)*)+?`),
 * so that any that might is left to `re2js` with all else.
 */
import { type PatternEngineFunctions, re2jsEngine, spanOf } from "./re2jsEngine.ts"
import type { Finder } from "../readings/Reading.ts"

interface Re2Set {
  readonly match: (text: string) => readonly number[]
}

/** The used part of the package `re2`. */
export interface Re2Constructor {
  new (pattern: string, flags: string): RegExp
  readonly Set?: new (patterns: readonly string[]) => Re2Set
}

const readsOtherwise = /\\[pPCXcuQB]|\(\?<|[^\x20-\x7e]/

const groupOpening = /\(\?[A-Za-z-]*:/g
const repeatedGroup = /\)(?:[*+?]|\{\d[^{}]*\})\??/g
const mayBeNothing = /[*?^$]|\\[bBAz]|\{0|\(\||\|\||\|\)|\(\)/
const maybeNone = /^\)(?:[*?]|\{0)/

/** Whether something that is repeated may match nothing, as far as that can be told without parsing; in doubt it may. */
const repeatsNothing = (pattern: string): boolean => {
  const plain = pattern.replace(groupOpening, "(")
  if (/(?:\\[bBAz]|[\^$])[*+?{]/.test(plain)) return true
  const repeated = plain.match(repeatedGroup) ?? []
  return (
    repeated.length > 0 &&
    (mayBeNothing.test(plain.replace(repeatedGroup, ")")) ||
      (repeated.length > 1 && repeated.some((one) => maybeNone.test(one))))
  )
}

const finderOf = (compiled: RegExp): Finder => ({
  search: (text) => (from) => {
    if (from > text.length) return undefined
    compiled.lastIndex = from
    const match = compiled.exec(text)
    return match === null ? undefined : spanOf(text, match.index, match.index + match[0].length)
  }
})

export const re2EngineOf = (RE2: Re2Constructor): PatternEngineFunctions => {
  const compile = (pattern: string): RegExp | undefined => {
    if (readsOtherwise.test(pattern) || repeatsNothing(pattern)) return undefined
    try {
      return new RE2(pattern, "g")
    } catch {
      return undefined
    }
  }
  return {
    name: "re2",
    pace: 500_000,
    compile: (pattern) => {
      const compiled = compile(pattern)
      return compiled === undefined ? re2jsEngine.compile(pattern) : finderOf(compiled)
    },
    prefilter: (patterns) => {
      const { Set: Re2Set } = RE2
      if (Re2Set === undefined) return undefined
      const places = patterns.map((pattern, place) => ({ pattern, place }))
      const native = places.filter(({ pattern }) => compile(pattern) !== undefined)
      const others = places.filter((one) => !native.includes(one)).map(({ place }) => place)
      try {
        const set = new Re2Set(native.map(({ pattern }) => pattern))
        return (text) => {
          try {
            return new Set([...others, ...set.match(text).map((index) => native[index]?.place ?? 0)])
          } catch {
            // Out of memory: any of them may match.
            return new Set(patterns.keys())
          }
        }
      } catch {
        return undefined
      }
    }
  }
}
