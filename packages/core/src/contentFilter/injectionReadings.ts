/**
 * The ways in which a text can hide what it says: letters set apart, inner letters swapped, base64 and hexadecimal.
 *
 * Each reading knows where its characters stand in the text, so that what is found in it can be cut out there.
 */
import { injectionWords } from "./injectionPatterns.ts"
import { inWindows } from "./inWindows.ts"
import type { Finder, Span } from "./Span.ts"
import { spansOf } from "./spansOf.ts"

export interface Reading {
  readonly text: string
  /** What of the original a stretch of the reading stands for. */
  readonly origin: (span: Span) => Span
}

const keyOf = (word: string): string =>
  word.charAt(0) + [...word.slice(1, -1)].sort().join("") + word.charAt(word.length - 1) + word.length

const scrambled = new Map(injectionWords.filter((word) => word.length > 4).map((word) => [keyOf(word), word]))
const lengths = new Set([...scrambled.values()].map((word) => word.length))

/** Words whose first and last letters stand, put right; of the same length, so that positions stay. */
export const unscrambled = (text: string): string =>
  text.replace(/[A-Za-z]{5,12}/g, (word) =>
    lengths.has(word.length) ? (scrambled.get(keyOf(word.toLowerCase())) ?? word) : word
  )

/** Four or more single letters, each one separator apart; wider gaps part words. */
const spaced = /(?<![A-Za-z0-9])[A-Za-z](?:[ .*_-]{1,3}[A-Za-z](?![A-Za-z0-9])){3,400}/g

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

const printable = /^[\t\n\r\x20-\x7e]+$/

const fromBase64 = (token: string): string | undefined => {
  try {
    return atob(token.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, ""))
  } catch {
    return undefined
  }
}

const fromHex = (token: string): string =>
  (token.match(/[0-9A-Fa-f]{2}/g) ?? []).map((pair) => String.fromCharCode(Number.parseInt(pair, 16))).join("")

const encoded: readonly { readonly expression: RegExp; readonly decode: (token: string) => string | undefined }[] = [
  { expression: /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,8192}={0,2}/g, decode: fromBase64 },
  { expression: /(?<![0-9A-Fa-f])(?:(?:\\x|0x)?[0-9A-Fa-f]{2}[ :,]?){8,3000}/g, decode: fromHex }
]

/** Wider than what any of the expressions takes. */
const widest = 16_400

type Opened = (hidden: string, base: number) => Reading | undefined

const opening =
  (decode: (token: string) => string | undefined): Opened =>
  (hidden, base) => {
    const decoded = decode(hidden)
    const whole = { start: base, end: base + hidden.length }
    return decoded !== undefined && printable.test(decoded) ? { text: decoded, origin: () => whole } : undefined
  }

const hiding: readonly { readonly finder: Finder; readonly open: Opened }[] = [
  { finder: inWindows({ expression: spaced, widest }), open: (hidden, base) => parted(closed(hidden, base)) },
  ...encoded.map(({ expression, decode }) => ({ finder: inWindows({ expression, widest }), open: opening(decode) }))
]

/** The other readings of a text, one for each stretch that hides something; undefined between two steps. */
export function* hiddenReadings(text: string): Generator<Reading | undefined> {
  for (const { finder, open } of hiding)
    for (const span of spansOf(finder, text)) yield span && open(text.slice(span.start, span.end), span.start)
}
