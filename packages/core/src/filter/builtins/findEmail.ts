/** E-mail addresses, found from their `@` outwards: every character is looked at a bounded number of times. */
import type { Finder } from "../readings/Span.ts"

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
