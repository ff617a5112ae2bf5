/** E-mail addresses, found from their `@` outwards: every character is looked at a bounded number of times. */
import type { Finder } from "../readings/Reading.ts"

const isLocal = /[A-Za-z0-9._%+'\u00c0-\u024f-]/
const isEdge = /[.'%-]/
const domain = /(?:[A-Za-z0-9\u00c0-\u024f-]{1,63}\.){1,10}(?:xn--[A-Za-z0-9-]{1,59}|[A-Za-z\u00c0-\u024f]{2,63})/y

/** The longest local part (RFC 5321, 4.5.3.1.1), with its quotes. */
const longestQuoted = 66

/** The start of a quoted local part that ends before `at`; `at` if there is none. */
const quotedStart = (text: string, at: number, from: number): number => {
  if (text.charAt(at - 1) !== '"') return at
  const first = Math.max(from, at - longestQuoted)
  const before = text.slice(first, at - 1)
  const quote = before.lastIndexOf('"')
  return quote === -1 || quote === before.length - 1 || /[\r\n]/.test(before.slice(quote)) ? at : first + quote
}

/** How many signs are looked at in one step. */
const stepSize = 1_000

export const findEmail: Finder = {
  search: (text) => (from) => {
    let searched = from
    for (let step = 0; step < stepSize; step++) {
      const at = text.indexOf("@", searched)
      if (at === -1) return undefined
      let start = at
      while (start > searched && isLocal.test(text.charAt(start - 1))) start--
      while (start < at && isEdge.test(text.charAt(start))) start++
      if (start === at) start = quotedStart(text, at, searched)
      domain.lastIndex = at + 1
      if (start < at && domain.test(text)) return { start, end: domain.lastIndex }
      searched = at + 1
    }
    return { start: searched, end: searched }
  }
}

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

/**
 * A finder with a regular expression of the platform, applied to one window of a long text at a time.
 *
 * Only for builtin expressions: each is bounded in width and starts at few positions, so that no text makes it slow.
 */
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

const group = /^[0-9a-f]{1,4}$/i
const dotted = /^(?:\d{1,3}\.){3}\d{1,3}$/

/** The number of 16-bit groups in a list; undefined if one is malformed. */
const groupsOf = (part: string): number | undefined => {
  if (part === "") return 0
  const groups = part.split(":")
  const last = groups.at(-1) ?? ""
  const isMixed = dotted.test(last)
  return (isMixed ? groups.slice(0, -1) : groups).every((one) => group.test(one))
    ? groups.length + (isMixed ? 1 : 0)
    : undefined
}

const isIpv6 = (candidate: string): boolean => {
  const parts = candidate.split("::")
  const counts = parts.map(groupsOf)
  const total = counts.reduce<number>((sum, count) => sum + (count ?? 9), 0)
  // A qualified name may look like an abbreviated address; names seldom have digits.
  return parts.length === 1 ? total === 8 : parts.length === 2 && total > 0 && total < 8 && /\d/.test(candidate)
}

/** The end of an IPv6 address that starts here: counts its groups, and allows an IPv4 address as the last ones (RFC 4291, 2.2). */
export const addressEnd = (text: string, start: number, end: number): number | undefined => {
  const candidate = text.slice(start, end).replace(/(?:\.+|(?<!:):)$/, "")
  return isIpv6(candidate) ? start + candidate.length : undefined
}
