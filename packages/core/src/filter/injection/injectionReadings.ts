/**
 * Readings for prompt injection, in addition to those of every finder: spaced letters, swapped inner letters, base64 and hexadecimal.
 *
 * Each reading maps its characters to the text, so that findings can be removed there.
 */
import { type Finder, type Reading, smallLetters, spansOf, tableOf } from "../readings/Reading.ts"
import { injectionWords } from "./injectionPatterns.ts"
import { inWhereSigned, type Sign } from "./inWhereSigned.ts"

const keyOf = (word: string): string =>
  word.charAt(0) + [...word.slice(1, -1)].sort().join("") + word.charAt(word.length - 1) + word.length

const [shortest, longest] = [5, 12]
const known: ReadonlySet<string> = new Set(injectionWords.filter((word) => word.length >= shortest))
const scrambled = new Map([...known].map((word) => [keyOf(word), word]))

/** Of each pair of a first and a last letter the lengths that a word with these can have, as bits. */
const lengths = new Uint16Array(0x40_00)
const pairOf = (first: number, last: number): number => ((smallLetters[first] ?? 0) << 7) | (smallLetters[last] ?? 0)
for (const word of known) {
  const pair = pairOf(word.charCodeAt(0), word.charCodeAt(word.length - 1))
  lengths[pair] = (lengths[pair] ?? 0) | (1 << word.length)
}

const letter = tableOf(/[A-Za-z]/)

/** Words whose first and last letters stand, put right; of the same length, so that positions stay. */
export const unscrambled = (text: string): string => {
  let read = ""
  let copied = 0
  for (let at = 0; at < text.length; at++) {
    if (letter[text.charCodeAt(at)] !== 1) continue
    const start = at
    for (at++; at - start < longest && letter[text.charCodeAt(at)] === 1;) at++
    const length = at - start
    // What follows a piece of the longest length is looked at as a word of its own.
    at--
    if (length < shortest) continue
    const possible = lengths[pairOf(text.charCodeAt(start), text.charCodeAt(at))] ?? 0
    if ((possible & (1 << length)) === 0) continue
    const word = text.slice(start, at + 1).toLowerCase()
    const meant = known.has(word) ? undefined : scrambled.get(keyOf(word))
    if (meant === undefined) continue
    read += text.slice(copied, start) + meant
    copied = at + 1
  }
  return copied === 0 ? text : read + text.slice(copied)
}

/** Four or more single letters, each one separator apart; wider gaps part words. */
const spaced = /(?<![A-Za-z0-9])[A-Za-z](?:[\s.*_|/-]{1,3}[A-Za-z](?![A-Za-z0-9])){3,400}/y

const spacedSign: Sign = { notBefore: /[A-Za-z0-9]/, first: /[A-Za-z]/, rest: /[\s.*_|/-]/, least: 2 }

const closed = (text: string, base: number): Reading => {
  let letters = ""
  const places: number[] = []
  const put = (letter: string, place: number) => {
    letters += letter
    places.push(place)
  }
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (/[A-Za-z]/.test(character)) put(character, base + at)
    // Two separators or more stand for the space between words.
    else if (!/[A-Za-z]/.test(text.charAt(at + 1)) && letters.at(-1) !== " ") put(" ", base + at)
  }
  return {
    text: letters,
    origin: ({ start, end }) => ({ start: places[start] ?? base, end: (places[end - 1] ?? base) + 1 })
  }
}

/** Without any space between words the patterns would find nothing: the words they are made of are parted again. */
const parted = ({ text, origin }: Reading): Reading => {
  if (text.includes(" ")) return { text, origin }
  const words = [...injectionWords, "all", "the", "your", "my", "any", "to", "show", "mode"].sort(
    (a, b) => b.length - a.length
  )
  let result = ""
  const places: number[] = []
  for (let at = 0; at < text.length;) {
    const rest = text.slice(at, at + 16).toLowerCase()
    const word = words.find((one) => rest.startsWith(one)) ?? text.charAt(at)
    for (let index = 0; index < word.length; index++) places.push(at + index)
    result += text.slice(at, at + word.length)
    at += word.length
    if (word.length > 1) {
      result += " "
      places.push(at - 1)
    }
  }
  return {
    text: result,
    origin: ({ start, end }) => origin({ start: places[start] ?? 0, end: (places[end - 1] ?? 0) + 1 })
  }
}

const unprintable = /[^\t\n\r\x20-\x7e]/g

/** One character of four says nothing, as a stray one at the end of a group of them. */
const fromBase64 = (token: string): string | undefined => {
  const characters = token
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/[=\r\n]+/g, "")
  try {
    return atob(characters.length % 4 === 1 ? characters.slice(0, -1) : characters)
  } catch {
    return undefined
  }
}

const fromHex = (token: string): string =>
  (token.match(/[0-9A-Fa-f]{2}/g) ?? []).map((pair) => String.fromCharCode(Number.parseInt(pair, 16))).join("")

/** What goes on where the match before it was full stands behind as many of its own kind. */
const encoded: readonly {
  readonly expression: RegExp
  readonly sign: Sign
  readonly decode: (token: string) => string | undefined
}[] = [
  {
    expression: /(?:(?<![A-Za-z0-9+/_-])|(?<=[A-Za-z0-9+/_-]{16}))[A-Za-z0-9+/_-]{16,8192}={0,2}/y,
    sign: { first: /[A-Za-z0-9+/_-]/, rest: /[A-Za-z0-9+/_-]/, least: 16 },
    decode: fromBase64
  },
  // In lines
  {
    expression: /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{20,128}(?:\r?\n[A-Za-z0-9+/]{4,128}){1,60}={0,2}/y,
    sign: { notBefore: /[A-Za-z0-9+/]/, first: /[A-Za-z0-9+/]/, rest: /[A-Za-z0-9+/]/, least: 20 },
    decode: fromBase64
  },
  {
    expression: /(?:(?<![0-9A-Fa-f])|(?<=[0-9A-Fa-f]{16}))(?:(?:\\x|0x|%|\\u00)?[0-9A-Fa-f]{2}[\s:,;-]{0,2}){8,2000}/y,
    sign: { first: /[0-9A-Fa-f\\%]/, rest: /[0-9A-Fa-f\\%xu\s:,;-]/, least: 16 },
    decode: fromHex
  }
]

type Opened = (hidden: string, base: number) => Reading | undefined

/** Text has other characters in it than ASCII's; what is no text at all is seldom printable by half. */
const opening =
  (decode: (token: string) => string | undefined): Opened =>
  (hidden, base) => {
    const decoded = decode(hidden)
    if (decoded === undefined) return undefined
    const text = decoded.replace(unprintable, "")
    const whole = { start: base, end: base + hidden.length }
    return text.length * 2 > decoded.length ? { text, origin: () => whole } : undefined
  }

const hiding: readonly { readonly finder: Finder; readonly open: Opened }[] = [
  {
    finder: inWhereSigned({ expression: spaced, sign: spacedSign }),
    open: (hidden, base) => parted(closed(hidden, base))
  },
  ...encoded.map(({ decode, ...signed }) => ({ finder: inWhereSigned(signed), open: opening(decode) }))
]

/** What was read just before is read again as far as this where a stretch was too long for one reading. */
const overlap = 1_024

/** The other readings of a text, one for each stretch that hides something; undefined between two steps. */
export function* hiddenReadings(text: string): Generator<Reading | undefined> {
  for (const { finder, open } of hiding) {
    let last = -1
    for (const span of spansOf(finder, text)) {
      if (span === undefined) {
        yield undefined
        continue
      }
      const start = span.start === last ? Math.max(0, last - overlap) : span.start
      yield open(text.slice(start, span.end), start)
      last = span.end
    }
  }
}
