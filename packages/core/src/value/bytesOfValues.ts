/**
 * What the values of a short JSON text take in memory beyond the text: `[[],[],…]` takes many times its length.
 *
 * Rule: requests#bodies-in-flight.
 */

/** Bytes of a value: an empty array or object, and its place among others. */
const bytesOfValue = 48

/** So many values are not counted, as nearly all bodies have fewer. */
const freeValues = 1_000

/** A shorter text cannot have more values, as each takes a byte and a comma. */
export const maxFreeBytes = 2 * freeValues

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const openBrace = 0x7b

/** An upper bound for texts that are JSON; of others it is any number. Takes no longer than reading them. */
export const bytesOfValues = (json: Uint8Array): number => {
  if (json.length <= maxFreeBytes) return 0
  let values = 1
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === comma || byte === openBracket || byte === openBrace) values++
    else if (byte === quote) for (at++; at < json.length && json[at] !== quote; at++) if (json[at] === backslash) at++
  }
  return Math.max(0, values - freeValues) * bytesOfValue
}
