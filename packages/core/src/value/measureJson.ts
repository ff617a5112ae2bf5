/**
 * What the values of a JSON text take in memory beyond the text: `[{"a":{}},{"b":{}},…]` takes many times its length.
 *
 * Rule: requests#bodies-in-flight.
 */
import { copiedAtOnce } from "./joinBytes.ts"

/** Bytes for each comma, colon and opening bracket. The most takes an object with a key of its own, which has three: 208 (Node 24). */
const bytesOfMark = 70

/** So many are not counted, as nearly all bodies have fewer. */
const freeMarks = 1_000

/** A shorter text is never counted. */
export const maxFreeBytes = 2 * freeMarks

const quote = 0x22
const backslash = 0x5c
const unicodeEscape = 0x75
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const openBrace = 0x7b

/** An upper bound for texts that are JSON, in steps; of others it is any number. Takes no longer than reading them. */
export function* countingValues(json: Uint8Array): Generator<void, number> {
  if (json.length <= maxFreeBytes) return 0
  let marks = 0
  let isString = false
  for (let at = 0, end = 0; end < json.length;) {
    end = Math.min(json.length, end + copiedAtOnce)
    while (at < end) {
      const byte = json[at++]
      if (isString) {
        if (byte === backslash) at++
        else if (byte === quote) isString = false
      } else if (byte === quote) isString = true
      else if (byte === comma || byte === colon || byte === openBracket || byte === openBrace) marks++
    }
    if (end < json.length) yield
  }
  return Math.max(0, marks - freeMarks) * bytesOfMark
}

/** More than a JSON text of so many values can have: of more it is refused. */
export const mostOfValues = (maxValues: number): number => 3 * maxValues * bytesOfMark

/** Nearly all bodies are shorter. */
const freeText = 16_384

/** The first byte of a character beyond U+00FF. */
const firstWide = 0xc4

/**
 * What the strings of a text may take, which is not counted by the bytes that arrive: of a short body. A string with one character beyond
 * U+00FF takes two bytes for each.
 */
export const bytesOfText = (json: Uint8Array): number => {
  const counted = json.length - freeText
  if (counted <= 0) return 0
  const isWide = json.some((byte, at) => byte >= firstWide || (byte === backslash && json[at + 1] === unicodeEscape))
  return isWide ? 2 * counted : counted
}

/** The same as `countingValues` at once, for texts that are short. */
export const bytesOfValues = (json: Uint8Array): number => {
  const steps = countingValues(json)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}
