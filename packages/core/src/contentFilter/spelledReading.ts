/**
 * The words of prompt injection put together again where signs cut them (`ig.nore`) or join them (`ignore/all/previous`), or where nothing
 * stands between them; and with letters in the place of the digits that look like them (`1gn0re`).
 */
import { patternWords } from "./injectionPatterns.ts"
import { type Reading, Rewriting } from "./Reading.ts"

/** What stands for a letter; one sign stands for `i` and for `l`, so that these two count as one. */
const letters: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  l: "i",
  "!": "i",
  "|": "i",
  "3": "e",
  "4": "a",
  "@": "a",
  "5": "s",
  $: "s",
  "7": "t",
  "8": "b",
  "9": "g"
}

const keyOf = (word: string): string => word.toLowerCase().replace(/[01l!|345789@$]/g, (sign) => letters[sign] ?? sign)

/** Code has `this` before names. */
const ofCode: ReadonlySet<string> = new Set(["this"])

const wordOf: ReadonlyMap<string, string> = new Map(
  patternWords.filter((word) => !ofCode.has(word)).map((word) => [keyOf(word), word])
)
const longestWord = Math.max(...[...wordOf.keys()].map((key) => key.length))
const shortestWord = 2
const beginnings = new Set([...wordOf.keys()].map((key) => key.slice(0, shortestWord)))

const mixed = /[A-Za-z][\d@$!|]|[\d@$!|][A-Za-z]|\d{3}/
const leet = /(?<![A-Za-z\d@$!|])(?=[A-Za-z]{0,14}[\d@$!|])[A-Za-z\d@$!|]{1,14}[A-Za-z\d@$]/g

/** With letters for digits in words that are then one of the patterns'; of the same length, so that positions stay. */
export const withoutDigits = (text: string): string =>
  mixed.test(text) ? text.replace(leet, (word) => wordOf.get(keyOf(word)) ?? word) : text

const piece = "[A-Za-z\\d@$]"
/** Signs alone, some of them with a space at either side, or the hyphen at the end of a line. */
const joint = "(?:-\\r?\\n|[./|\\\\*_'\"`~^+,;:-]{1,3}| ?[./|\\\\]{1,3} ?)"
const run = new RegExp(`(?<!${piece})${piece}(?:${piece}{0,39}(?:${joint}${piece}{1,40}){1,100}|${piece}{13,199})`, "g")
const pieces = new RegExp(`${piece}+`, "g")

/** What is joined of at most so many characters. */
const longestRun = 80
/** So many words are seldom joined by chance; in names of code, of which capitals alone part the words, more are. */
const fewestWords = 3
const fewestInName = 4
const isName = /[a-z][A-Z]/

interface Piece {
  readonly start: number
  readonly end: number
  /** Where it ends among all characters that are looked at. */
  readonly until: number
}

interface Joined {
  /** How many pieces. */
  readonly count: number
  readonly words: readonly string[]
  /** Whether a sign stood within a word. */
  readonly isCut: boolean
}

const beginsWord = (key: string): boolean => {
  if (!beginnings.has(key.slice(0, shortestWord))) return false
  for (let end = shortestWord; end <= key.length; end++) if (wordOf.has(key.slice(0, end))) return true
  return false
}

/** The most pieces from the first on that are words of the patterns, one behind the other. */
const wordsIn = (written: string, all: readonly Piece[], first: number): Joined | undefined => {
  const offset = all[first - 1]?.until ?? 0
  if (!beginsWord(keyOf(written.slice(offset, offset + longestWord)))) return undefined
  const from = all.slice(first, first + longestRun)
  const key = keyOf(written.slice(offset, offset + longestRun))
  /** By offset: where the last word before it begins, on the way with the fewest words. */
  const before = new Int32Array(key.length + 1).fill(-1)
  const counts = new Int32Array(key.length + 1)
  let reached = 0
  for (let at = 0; at <= reached; at++) {
    if (at > 0 && before[at] === -1) continue
    for (let end = Math.min(key.length, at + longestWord); end >= at + shortestWord; end--) {
      if (!wordOf.has(key.slice(at, end))) continue
      const count = (counts[at] ?? 0) + 1
      if (before[end] !== -1 && (counts[end] ?? 0) <= count) continue
      before[end] = at
      counts[end] = count
      reached = Math.max(reached, end)
    }
  }
  const ends = from.map(({ until }) => until - offset)
  const last = ends.findLastIndex((end) => end <= reached && before[end] !== undefined && before[end] !== -1)
  if (last === -1) return undefined
  const words: string[] = []
  const aligned = new Set([0, ...ends])
  let isCut = false
  for (let end = ends[last] ?? 0; end > 0; end = before[end] ?? 0) {
    const start = before[end] ?? 0
    words.unshift(wordOf.get(key.slice(start, end)) ?? "")
    isCut ||= ends.some((cut) => cut > start && cut < end) || (last > 0 && !aligned.has(start))
  }
  return { count: last + 1, words, isCut }
}

/** Pieces that are looked at in one step. */
const stepPieces = 32

/** Undefined where nothing was put together. May be left between any two steps. */
export function* spelledReading(text: string): Generator<undefined, Reading | undefined> {
  const rewriting = new Rewriting(text)
  let steps = 0
  for (const { 0: stretch, index } of text.matchAll(run)) {
    const all: Piece[] = []
    let written = ""
    for (const { 0: characters, index: at } of stretch.matchAll(pieces)) {
      written += characters
      all.push({ start: index + at, end: index + at + characters.length, until: written.length })
    }
    for (let first = 0; first < all.length;) {
      const joined = wordsIn(written, all, first)
      const count = joined?.count ?? 1
      const [start, end] = [all[first]?.start ?? 0, all[first + count - 1]?.end ?? 0]
      const fewest = count === 1 && isName.test(text.slice(start, end)) ? fewestInName : fewestWords
      if (joined !== undefined && (joined.isCut || joined.words.length >= fewest))
        rewriting.put(start, end, joined.words.join(" "))
      first += count
      if (++steps % stepPieces === 0) yield undefined
    }
  }
  return rewriting.reading()
}
