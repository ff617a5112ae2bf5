/**
 * What a JSON text takes in memory once it is parsed: `[{"34":0},{"34":0},…]` takes forty times its length.
 *
 * Rule: requests#bodies-in-flight.
 */
import { copiedAtOnce } from "./bytes.ts"
import { atOnce } from "./parseJson.ts"

export interface JsonSize {
  /** Bytes of objects, arrays and their members. */
  readonly values: number
  /** Bytes of its text as a string: two for each that arrived if a character is beyond U+00FF. */
  readonly text: number
}

/** Bytes for each `{` (the most takes an object with a small integer for a key, Node 24), and for each comma, colon and `[`. */
const bytesOfObject = 290
const bytesOfMember = 70

/** Nearly all bodies have no more. */
export const freeValues = 70_000

/** A shorter text is never counted. */
export const maxFreeBytes = 2_000

/** More than so many values can take: a text that has more is refused. */
export const mostOfValues = (maxValues: number): number => maxValues * (bytesOfObject + 2 * bytesOfMember)

const quote = 0x22
const backslash = 0x5c
const unicodeEscape = 0x75
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const openBrace = 0x7b

/** The first byte of a character beyond U+00FF. */
const firstWide = 0xc4

/** An upper bound for texts that are JSON, in steps; of others it is any number. Takes no longer than reading them. */
function* weighing(json: Uint8Array): Generator<void, JsonSize> {
  let objects = 0
  let members = 0
  let isWide = false
  let isString = false
  for (let at = 0, end = 0; end < json.length;) {
    end = Math.min(json.length, end + copiedAtOnce)
    while (at < end) {
      const byte = json[at++] as number
      if (byte >= firstWide) isWide = true
      else if (isString) {
        if (byte === backslash) {
          if (json[at++] === unicodeEscape) isWide = true
        } else if (byte === quote) isString = false
      } else if (byte === quote) isString = true
      else if (byte === openBrace) objects++
      else if (byte === comma || byte === colon || byte === openBracket) members++
    }
    if (end < json.length) yield
  }
  return { values: objects * bytesOfObject + members * bytesOfMember, text: isWide ? 2 * json.length : json.length }
}

/** The same, less what is free for a body. */
export function* measuring(json: Uint8Array): Generator<void, JsonSize> {
  if (json.length <= maxFreeBytes) return { values: 0, text: 0 }
  const { values, text } = yield* weighing(json)
  return { values: Math.max(0, values - freeValues), text }
}

/** The same at once, for texts that are short. */
export const measureJson = (json: Uint8Array): JsonSize => atOnce(measuring(json))

/** All that a text takes, at once: one of many, of which none is free by itself. */
export const weighJson = (json: Uint8Array): JsonSize => atOnce(weighing(json))
