/**
 * A finder with a regular expression of the platform, applied to one window of a long text at a time.
 *
 * Only for builtin expressions: each is bounded in width and starts at few positions, so that no text makes it slow.
 */
import type { Finder } from "../readings/Span.ts"

const windowSize = 32_768
/** So many candidates that are none make a step. */
const maxRejected = 200

export interface WindowedExpression {
  /** Global. Looks behind at most `lookBehind` characters. */
  readonly expression: RegExp
  /** The longest match with what is looked at after it. */
  readonly widest: number
  /** Where a candidate really ends; undefined: it is none. Default: where the expression ends. */
  readonly endOf?: (text: string, start: number, end: number) => number | undefined
}

const lookBehind = 16

export const inWindows = ({ expression, widest, endOf = (_, __, end) => end }: WindowedExpression): Finder => ({
  search: (text) => (from) => {
    const until = Math.min(text.length, from + windowSize)
    const base = Math.max(0, from - lookBehind)
    const view = text.slice(base, until + widest)
    expression.lastIndex = from - base
    let rejected = 0
    for (let match = expression.exec(view); match !== null; match = expression.exec(view)) {
      const start = base + match.index
      if (start >= until) break
      const end = endOf(text, start, start + match[0].length)
      if (end !== undefined && end > start) return { start, end }
      expression.lastIndex = match.index + 1
      if (++rejected === maxRejected) return { start: start + 1, end: start + 1 }
    }
    return until < text.length ? { start: until, end: until } : undefined
  }
})
