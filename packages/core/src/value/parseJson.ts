/**
 * The one reader of submitted JSON: strict UTF-8, no duplicate keys, no lone surrogates, no U+0000, bounded depth.
 *
 * Rule: requests#json-bodies. Source: RFC 8259. Two parsers that disagree about a body are a way around every check between them,
 * so what parsers are known to disagree about is refused: bytes that are not UTF-8, a key given twice (compared after unescaping),
 * an escaped surrogate without its other half, and U+0000, which PostgreSQL cannot store. A byte order mark, which RFC 8259 8.1
 * lets a parser ignore or refuse, is refused. `__proto__` and `constructor` are ordinary own properties of the result.
 *
 * A scanner over the bytes checks the whole grammar and every stricter rule, then `JSON.parse` builds the value. The scanner works in
 * steps, so that a long text need not hold up everything else (`parseLongJson.ts`).
 * That the body is an object, and how large it may be, is for the caller to check.
 */

import { issuePath } from "./issues.ts"

/** How many objects and arrays may enclose one another. */
export const maxJsonDepth = 64

export type JsonProblemCode =
  | "invalid_utf8"
  | "invalid_json"
  | "duplicate_key"
  | "lone_surrogate"
  | "nul_character"
  | "too_deep"
  | "too_many_values"
  | "too_many_members"
  | "too_long_string"

export interface JsonProblem {
  readonly ok: false
  readonly code: JsonProblemCode
  /** Dotted path from the root to the place, `""` for the root. A key that may be a secret is shown as `*`. */
  readonly path: string
  /** One sentence with the position (UTF-16 code units from 0; bytes for `invalid_utf8`), without submitted text. */
  readonly message: string
}

export type ParsedJson = { readonly ok: true; readonly value: unknown } | JsonProblem

// `ignoreBOM` keeps the mark in the text, where the scanner finds it.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/**
 * Reads one JSON text. Never throws; the first problem in the order of the text is the one returned. `repairs`: a lone surrogate and U+0000 become
 * U+FFFD (Rule: usage#recording).
 */
export const parseJson = (submitted: Uint8Array, repairs = false): ParsedJson => {
  let bytes = submitted
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return {
      ok: false,
      code: "invalid_utf8",
      path: "",
      message: `Not valid UTF-8 near byte ${firstInvalidByte(bytes)}`
    }
  }
  let problem = atOnce(findProblem(bytes, text, text.length, Infinity))
  if (repairs && problem !== undefined) {
    bytes = atOnce(repaired(bytes))
    text = utf8.decode(bytes)
    problem = atOnce(findProblem(bytes, text, text.length, Infinity))
  }
  if (problem !== undefined) return problem
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return notRead
  }
}

/** Only of a runtime with limits of its own (memory, stack): the scanner has accepted the grammar. */
export const notRead: JsonProblem = { ok: false, code: "invalid_json", path: "", message: "Not valid JSON" }

/** What steps come to, at once. */
export const atOnce = <A>(steps: Generator<void, A>): A => {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

const replacement = new TextEncoder().encode("\\ufffd")

/**
 * The same text with the escape of U+FFFD, which is as long, in the place of each escape of U+0000 or of a surrogate without its other half.
 */
export function* repaired(bytes: Uint8Array): Generator<void, Uint8Array> {
  const copy = bytes.slice()
  let pause = stepSize
  for (let at = copy.indexOf(backslash); at !== -1; at = copy.indexOf(backslash, at)) {
    if (at >= pause) {
      yield
      pause = at + stepSize
    }
    const length = escapeLength(copy, at)
    const isRefused = length === 0 && escapedUnit(copy, at) !== -1
    if (isRefused) copy.set(replacement, at)
    at += isRefused ? replacement.length : length || 2
  }
  return copy
}

/** A lossy decoding differs from the original first where the original is not UTF-8. */
export const firstInvalidByte = (bytes: Uint8Array): number => {
  const lossy = new TextEncoder().encode(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes))
  const index = bytes.findIndex((byte, at) => byte !== lossy[at])
  return index === -1 ? bytes.length : index
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const minus = 0x2d
const plus = 0x2b
const dot = 0x2e
const zero = 0x30
const nine = 0x39

/** An open object or array. */
interface Container {
  /** The keys of an object so far; `undefined` for an array. */
  readonly keys: string[] | undefined
  /** The same keys, once there are too many to compare one by one. */
  seen: Set<string> | undefined
  /** The key or index whose value is being read. */
  current: string | number | undefined
}

/** Beyond this many keys a set is faster than comparing. Measured. */
const comparedKeys = 12

/** Bytes that are scanned in one step: a fraction of a millisecond. */
const stepSize = 65_536

/**
 * Scans the bytes, which is faster than scanning the text; `text`, which is the same decoded, gives the keys. Without it they are
 * decoded one by one.
 *
 * @param length of the text, in UTF-16 code units
 * @param maxValues how many values there may be: objects, arrays and what they hold
 * @param maxMembers how many of them one object may hold itself
 */
export function* findProblem(
  bytes: Uint8Array,
  text: string | undefined,
  length: number,
  maxValues: number,
  maxMembers = Infinity
): Generator<void, JsonProblem | undefined> {
  const isAscii = length === bytes.length
  const hasEscapes = text === undefined || text.includes("\\")
  const outer: Container[] = []
  let container: Container | undefined
  let at = 0
  let values = 0
  let pause = stepSize
  /** How far the text is behind the bytes. */
  let lag = 0

  const problem = (code: JsonProblemCode, position: number): JsonProblem => ({
    ok: false,
    code,
    path: pathOf(container === undefined ? outer : [...outer, container]),
    message: sentence(code, bytes, length, position - lag, code === "too_many_values" ? maxValues : maxMembers)
  })
  const problemInString = (from: number, position: number): JsonProblem => {
    lag += lagOf(bytes, from, position)
    return problem(stringProblem(bytes, position), position)
  }

  for (;;) {
    if (at >= pause) {
      yield
      pause = at + stepSize
    }
    // A value is due; inside an object its key and a colon come first.
    if (container?.keys !== undefined) {
      container.current = undefined
      while (isBlank(bytes[(at = skipBlank(bytes, at))])) yield
      if (bytes[at] !== quote) return problem("invalid_json", at)
      let from = at
      let lagAfter = lag
      let end = endOfString(bytes, at, at + stepSize)
      while (end === stopped) {
        if (!isAscii) lagAfter += lagOf(bytes, from, stoppedAt)
        from = stoppedAt
        yield
        end = endOfString(bytes, from - 1, from + stepSize)
      }
      if (end < 0) {
        lag = lagAfter
        return problemInString(from, ~end)
      }
      if (!isAscii) lagAfter += lagOf(bytes, from, end)
      const raw =
        text === undefined ? utf8.decode(bytes.subarray(at + 1, end - 1)) : text.slice(at + 1 - lag, end - 1 - lagAfter)
      const key = hasEscapes && raw.includes("\\") ? (JSON.parse(`"${raw}"`) as string) : raw
      container.current = key
      if (isRepeated(container, container.keys, key)) return problem("duplicate_key", at)
      if (container.seen !== undefined && container.seen.size > maxMembers) return problem("too_many_members", at)
      lag = lagAfter
      at = end
      while (isBlank(bytes[(at = skipBlank(bytes, at))])) yield
      if (bytes[at] !== colon) return problem("invalid_json", at)
      at++
    }

    while (isBlank(bytes[(at = skipBlank(bytes, at))])) yield
    if (++values > maxValues) return problem("too_many_values", at)
    const first = bytes[at]
    if (first === quote) {
      let from = at
      let end = endOfString(bytes, at, at + stepSize)
      while (end === stopped) {
        if (!isAscii) lag += lagOf(bytes, from, stoppedAt)
        from = stoppedAt
        yield
        end = endOfString(bytes, from - 1, from + stepSize)
      }
      if (end < 0) return problemInString(from, ~end)
      if (!isAscii) lag += lagOf(bytes, from, end)
      at = end
    } else if (first === openBrace || first === openBracket) {
      if (outer.length + (container === undefined ? 0 : 1) === maxJsonDepth) return problem("too_deep", at)
      if (container !== undefined) outer.push(container)
      const isObject = first === openBrace
      container = { keys: isObject ? [] : undefined, seen: undefined, current: isObject ? undefined : 0 }
      at++
      while (isBlank(bytes[(at = skipBlank(bytes, at))])) yield
      // Not yet closed: go for its first member. Closed: the loop below pops it.
      if (bytes[at] !== (isObject ? closeBrace : closeBracket)) continue
    } else {
      const end = first === minus || isDigit(first) ? endOfNumber(bytes, at) : endOfLiteral(bytes, at)
      if (end < 0) return problem("invalid_json", ~end)
      at = end
    }

    // A value has ended, or an empty container is about to: close what closes, then look for a comma.
    for (;;) {
      while (isBlank(bytes[(at = skipBlank(bytes, at))])) yield
      if (container === undefined) return at === bytes.length ? undefined : problem("invalid_json", at)
      const next = bytes[at]
      if (next === comma) {
        if (typeof container.current === "number") container.current++
        at++
        break
      }
      if (next !== (container.keys === undefined ? closeBracket : closeBrace)) return problem("invalid_json", at)
      at++
      container = outer.pop()
    }
  }
}

export const isBlank = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** The index of what is not blank, or of what is after a step of blanks. */
export const skipBlank = (bytes: Uint8Array, from: number): number => {
  let at = from
  const last = Math.min(from + stepSize, bytes.length)
  while (at < last && isBlank(bytes[at])) at++
  return at
}

/** Notes a key, and says whether the object has it already. */
const isRepeated = (container: Container, keys: string[], key: string): boolean => {
  if (container.seen !== undefined) {
    const before = container.seen.size
    return container.seen.add(key).size === before
  }
  if (keys.includes(key)) return true
  keys.push(key)
  if (keys.length > comparedKeys) container.seen = new Set(keys)
  return false
}

/** Bytes less UTF-16 code units of a stretch: sequences of 2, 3 and 4 bytes are 1, 1 and 2 units. */
const lagOf = (bytes: Uint8Array, from: number, to: number): number => {
  let lag = 0
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number
    if (byte >= 0x80) lag += byte < 0xc0 ? 1 : byte < 0xf0 ? 0 : -1
  }
  return lag
}

/** What `endOfString` answers where it stopped on the way, and where that was. */
const stopped = 0
let stoppedAt = 0

/**
 * The index after the closing quote of the string that opens at `from`, or `~index` of what is wrong in it. It stops once it is
 * past `until`.
 */
const endOfString = (bytes: Uint8Array, from: number, until: number): number => {
  let at = from + 1
  const last = Math.min(until, bytes.length)
  while (at < last) {
    const byte = bytes[at] as number
    if (byte > backslash) at++
    else if (byte === quote) return at + 1
    else if (byte < 0x20) return ~at
    else if (byte !== backslash) at++
    else {
      const length = escapeLength(bytes, at)
      if (length === 0) return ~at
      at += length
    }
  }
  if (at >= bytes.length) return ~at
  stoppedAt = at
  return stopped
}

/** Length of the accepted escape at `at` (a surrogate pair is one), 0 if it is not accepted. */
const escapeLength = (bytes: Uint8Array, at: number): number => {
  switch (bytes[at + 1]) {
    case quote:
    case backslash:
    case 0x2f: // solidus
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return 2
  }
  const unit = escapedUnit(bytes, at)
  if (unit <= 0) return 0
  if (unit < 0xd800 || unit > 0xdfff) return 6
  const low = escapedUnit(bytes, at + 6)
  return unit < 0xdc00 && low >= 0xdc00 && low <= 0xdfff ? 12 : 0
}

/** The code unit that the `\uXXXX` at `at` stands for, -1 if there is none. */
const escapedUnit = (bytes: Uint8Array, at: number): number => {
  if (bytes[at] !== backslash || bytes[at + 1] !== 0x75) return -1
  let unit = 0
  for (let index = at + 2; index < at + 6; index++) {
    const byte = bytes[index] as number
    const letter = byte | 0x20
    if (byte >= zero && byte <= nine) unit = unit * 16 + byte - zero
    else if (letter >= 0x61 && letter <= 0x66) unit = unit * 16 + letter - 0x57
    else return -1
  }
  return unit
}

/** Why `endOfString` stopped there. */
const stringProblem = (bytes: Uint8Array, at: number): JsonProblemCode => {
  const unit = escapedUnit(bytes, at)
  if (unit === 0) return "nul_character"
  return unit > 0 ? "lone_surrogate" : "invalid_json"
}

/** The index after the number that starts at `from`, or `~index` of where a digit is missing. */
const endOfNumber = (bytes: Uint8Array, from: number): number => {
  let at = bytes[from] === minus ? from + 1 : from
  if (!isDigit(bytes[at])) return ~at
  at = bytes[at] === zero ? at + 1 : skipDigits(bytes, at)
  if (bytes[at] === dot) {
    if (!isDigit(bytes[at + 1])) return ~(at + 1)
    at = skipDigits(bytes, at + 1)
  }
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    at += bytes[at + 1] === plus || bytes[at + 1] === minus ? 2 : 1
    if (!isDigit(bytes[at])) return ~at
    at = skipDigits(bytes, at)
  }
  return at
}

const isDigit = (byte = 0): boolean => byte >= zero && byte <= nine

/** Digits in a row that a number of a long text may have: more say nothing, and would be read at one stretch. */
const maxDigits = 65_536

const skipDigits = (bytes: Uint8Array, from: number): number => {
  let at = from
  const last = bytes.length > 1_048_576 ? from + maxDigits : bytes.length
  while (at < last && isDigit(bytes[at])) at++
  return at
}

/** The index after `true`, `false` or `null` at `from`, or `~from`. */
const endOfLiteral = (bytes: Uint8Array, from: number): number => {
  for (const literal of literals)
    if (literal.every((byte, at) => bytes[from + at] === byte)) return from + literal.length
  return ~from
}

const literals = ["true", "false", "null"].map((literal) => [...new TextEncoder().encode(literal)])

const byteOrderMark = [0xef, 0xbb, 0xbf]

const pathOf = (containers: readonly Container[]): string =>
  issuePath(containers.flatMap(({ current }) => (current === undefined ? [] : [current])))

const sentence = (code: JsonProblemCode, bytes: Uint8Array, length: number, position: number, most: number): string => {
  switch (code) {
    case "duplicate_key":
      return `Duplicate object key at position ${position}`
    case "lone_surrogate":
      return `Lone surrogate in a string at position ${position}`
    case "nul_character":
      return `U+0000 in a string at position ${position}`
    case "too_many_values":
      return `More than ${most} values in one body at position ${position}`
    case "too_many_members":
      return `More than ${most} members in one object at position ${position}`
    case "too_deep":
      return `More than ${maxJsonDepth} nested objects and arrays at position ${position}`
    default:
      if (byteOrderMark.every((byte, at) => bytes[at] === byte)) return "Not valid JSON: starts with a byte order mark"
      return `Not valid JSON: unexpected ${position < length ? "character" : "end"} at position ${position}`
  }
}
