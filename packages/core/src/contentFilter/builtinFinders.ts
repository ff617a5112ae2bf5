/**
 * What each builtin finds. Source: data/content-filter-builtins.json; docs/enforcement.md, What filters see.
 *
 * They run on the platform's own expressions: each is written by us, bounded, and anchored where few positions can start a
 * match, so that they are fast and the same everywhere, whatever engine runs custom patterns. Numbers are not found inside
 * longer numbers. `phone` finds North American numbers, with or without separators (ten bare digits only where the first is
 * not 0 or 1, as times in seconds are), and international ones that start with `+`.
 */
import { cardsEnd } from "./cardsEnd.ts"
import { addressEnd } from "./addressEnd.ts"
import { findEmail } from "./findEmail.ts"
import { inWindows } from "./inWindows.ts"
import { secretEnd, secretExpression, secretWidest } from "./secretShapes.ts"
import type { Finder } from "./Span.ts"

/** Spaces and hyphens that do not break a line, and the dashes that word processors make of hyphens, beside the plain ones. */
const gap = "[ .\\-\\u00a0\\u202f\\u2010-\\u2013]"
const dash = "[-\\u2010-\\u2013]"

const octet = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)"

const expressions = {
  national: String.raw`(?:\+?1${gap}?)?(?:\(\d{3}\)[ \u00a0]?|\d{3}${gap})\d{3}${gap}\d{4}`,
  bare: String.raw`(?:\+?1)?[2-9]\d{9}`,
  international: String.raw`\+[1-9]\d{0,2}(?:${gap}?\(?\d{1,4}\)?){2,5}`
}

const phone = inWindows({
  expression: new RegExp(
    String.raw`(?<![\w+-]|\d\.)(?:${expressions.national}|${expressions.bare}|${expressions.international})(?![\d])(?![.-]\d)`,
    "g"
  ),
  widest: 64,
  endOf: (text, start, end) => {
    const digits = text.slice(start, end).replace(/\D/g, "").length
    return digits >= 8 && digits <= 15 ? end : undefined
  }
})

/** Neither inside a longer number nor a part of more groups. */
const standsAlone = (text: string, start: number, end: number): boolean =>
  !/\d-?$/.test(text.slice(Math.max(0, start - 2), start)) && !/^-?\d/.test(text.slice(end, end + 2))

// What stands around is looked at afterwards: an expression that begins with what it looks for is many times faster.
const ssn = inWindows({
  expression: new RegExp(String.raw`\d{3}${dash}\d{2}${dash}\d{4}`, "g"),
  widest: 16,
  endOf: (text, start, end) =>
    standsAlone(text, start, end) && !/^(?:000|666)|\D00\D|\D0000$/.test(text.slice(start, end)) ? end : undefined
})

const card = inWindows({
  expression: /[2-6](?:[ \-\u00a0\u202f\u2010-\u2013]?\d){12}/g,
  widest: 64,
  endOf: (text, start) => (/\d/.test(text.charAt(start - 1)) ? undefined : cardsEnd(text, start))
})

const ip = inWindows({
  expression: new RegExp(
    String.raw`(?<![\w.])(?:${octet}(?:\.${octet}){3}(?!\w|\.\d)|(?:(?<!:)|(?<=[G-Zg-z]:))(?=[0-9A-Fa-f:])[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]{0,40}(?:\d\.\d{1,3}\.\d{1,3}\.\d{1,3}|[0-9A-Fa-f:])(?![\w]))`,
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
