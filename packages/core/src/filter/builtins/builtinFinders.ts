/**
 * The finder of each builtin. Rule: content-filters#builtins.
 *
 * They run on the platform's own expressions: each is written by us, bounded, and anchored where few positions can start a
 * match, so that they are fast and the same everywhere, whatever engine runs custom patterns. Numbers are not found inside
 * longer numbers. They find values with usual separators, also across the end of a line; other readings of a text are built before
 * (`normalisedReadings.ts`). `phone` finds North American numbers, with or without separators (ten bare digits only where the first is
 * not 0 or 1, as times in seconds are), and international ones that start with `+`.
 */
import { cardsEnd } from "./cardsEnd.ts"
import { addressEnd, findEmail, inWindows } from "./findEmail.ts"
import { secretEnd, secretExpression, secretWidest } from "./secretShapes.ts"
import type { Finder } from "../readings/Reading.ts"

/**
 * Between two groups of digits: a sign, or a dash of two, with spaces around it and perhaps the end of a line behind it, or spaces alone.
 */
const sign = "[ \\t]?(?:--|[./_\\-\\u2010-\\u2013])[ \\t]?(?:\\r?\\n)?"
const blanks = "[ \\t\\u00a0\\u202f]{1,2}"
const gap = `(?:${sign}|${blanks})`
const ssnGap = `(?:${sign}|${blanks}|\\r?\\n)`

const octet = "(?:25[0-5]|2[0-4]\\d|[01]?\\d?\\d)"

/**
 * Below each other, numbers of three and four digits make one of the telephone only as such are given, and with no more of them around.
 */
const lines = String.raw`(?<!\d[ \t]*\r?\n)\(?[2-9]\d{2}\)?(?:${gap}|\r?\n)\d{3}(?:${gap}|\r?\n)\d{4}(?!\r?\n\d)`

const expressions = {
  lines,
  national: String.raw`(?:\+?1${gap}?)?(?:\(\d{3}\)${gap}?|\d{3}${gap})\d{3}${gap}\d{4}`,
  bare: String.raw`(?:\+?1)?[2-9]\d{9}`,
  international: String.raw`\+[1-9]\d{0,2}(?:${gap}?\(?\d{1,4}\)?){2,5}`
}

/** The largest integers of 32 bits, and what follows them: schemas and code are full of them. */
const limits: ReadonlySet<string> = new Set(["2147483647", "2147483648", "4294967295", "4294967296"])

const phone = inWindows({
  expression: new RegExp(
    String.raw`(?<![\w+-]|\d\.)(?:${expressions.national}|${expressions.lines}|${expressions.bare}|${expressions.international})(?![\d])(?![.-]\d)`,
    "g"
  ),
  widest: 96,
  endOf: (text, start, end) => {
    const written = text.slice(start, end)
    const digits = written.replace(/\D/g, "").length
    return digits >= 8 && digits <= 15 && !limits.has(written) ? end : undefined
  }
})

const isDigit = (character: string): boolean => character >= "0" && character <= "9"

/** Neither inside a longer number, nor a part of more groups that are parted alike, nor of an international number. */
const standsAlone = (text: string, start: number, end: number): boolean => {
  const [before, after] = [text.charAt(start - 1), text.charAt(end)]
  if (isDigit(before) || isDigit(after)) return false
  const parting = text.charAt(start + 3)
  if (/[\s\d]/.test(parting)) return !/\+\d{1,3}\s?$/.test(text.slice(Math.max(0, start - 5), start))
  return !(
    (before === parting && isDigit(text.charAt(start - 2))) ||
    (after === parting && isDigit(text.charAt(end + 1)))
  )
}

/** Nine digits, together or each alone, match only if a word before them names what they are. */
const isNamed = (text: string, start: number): boolean =>
  /(?:ssn|social security)[^\d\n]{0,24}$/i.test(text.slice(Math.max(0, start - 48), start))

// The context is checked after the match, because an expression that begins with the searched text is many times faster.
const ssn = inWindows({
  expression: new RegExp(String.raw`\d(?:\d{2}(?:${ssnGap}\d{2}${ssnGap}\d{4}|\d{6})|(?:${gap}\d){8})`, "g"),
  widest: 48,
  endOf: (text, start, end) => {
    const number = text.slice(start, end).replace(/\D/g, "")
    if (/^(?:000|666)|^...00|0000$/.test(number) || !standsAlone(text, start, end)) return undefined
    const isGrouped = end - start > number.length && isDigit(text.charAt(start + 1))
    return isGrouped || isNamed(text, start) ? end : undefined
  }
})

const card = inWindows({
  expression: /[2-6][ \t\r\n./_\-\u00a0\u202f\u2010-\u2013\d]{12}/g,
  widest: 128,
  endOf: (text, start) => (isDigit(text.charAt(start - 1)) ? undefined : cardsEnd(text, start))
})

const ip = inWindows({
  expression: new RegExp(
    String.raw`(?<![\w.])(?:${octet}(?:(?:\.|\[\.\]|\(\.\))${octet}){3}(?!\w|\.\d)|(?:(?<!:)|(?<=[G-Zg-z]:))(?=[0-9A-Fa-f:])[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]{0,40}(?:\d\.\d{1,3}\.\d{1,3}\.\d{1,3}|[0-9A-Fa-f:])(?![\w]))`,
    "g"
  ),
  widest: 80,
  endOf: (text, start, end) => (text.slice(start, end).includes(":") ? addressEnd(text, start, end) : end)
})

const secrets = inWindows({ expression: secretExpression, widest: secretWidest, endOf: secretEnd })

export type ScannedBuiltin = "email" | "phone" | "ssn" | "credit-card" | "ip-address" | "secrets"

export const builtinFinders: Readonly<Record<ScannedBuiltin, Finder>> = {
  email: findEmail,
  phone,
  ssn,
  "credit-card": card,
  "ip-address": ip,
  secrets
}
