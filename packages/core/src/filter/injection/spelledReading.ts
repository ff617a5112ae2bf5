/**
 * A reading that restores words of prompt injection which signs split (`ig.nore`) or join (`ignore/all/previous`), or that have no space
 * between them, and replaces digits by the letters that they look like (`1gn0re`).
 */
import { type Reading, Rewriting, type Span, smallLetters, tableOf } from "../readings/Reading.ts"
import { patternWords } from "./injectionPatterns.ts"

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

/** The character that each counts as, by its code; itself where it stands for no letter. */
const keyCodes = smallLetters.slice()
for (const [sign, meant] of Object.entries(letters))
  for (const written of [sign, sign.toUpperCase()]) keyCodes[written.charCodeAt(0)] = meant.charCodeAt(0)

const keyAt = (text: string, at: number): number => keyCodes[text.charCodeAt(at)] ?? 0

/** Code has `this` before names. */
const ofCode: ReadonlySet<string> = new Set(["this"])

/** The words as a tree, by the characters that each letter counts as. */
interface Branch {
  readonly next: (Branch | undefined)[]
  word: string | undefined
}

const branch = (): Branch => ({ next: Array<Branch | undefined>(0x80).fill(undefined), word: undefined })
const words = branch()
for (const word of patternWords.filter((one) => !ofCode.has(one))) {
  let at = words
  for (let index = 0; index < word.length; index++) at = at.next[keyAt(word, index)] ??= branch()
  at.word = word
}

const leet = /(?<![A-Za-z\d@$!|])(?=[A-Za-z]{0,14}[\d@$!|])[A-Za-z\d@$!|]{1,14}[A-Za-z\d@$]/y
const signed = tableOf(/[\d@$!|]/)
const leetOrLetter = tableOf(/[A-Za-z\d@$!|]/)

const wordOf = (written: string): string | undefined => {
  let at: Branch | undefined = words
  for (let index = 0; index < written.length && at !== undefined; index++) at = at.next[keyAt(written, index)]
  return at?.word
}

/** With letters for digits in words that are then one of the patterns'; of the same length, so that positions stay. */
export const withoutDigits = (text: string): string => {
  let read = ""
  let copied = 0
  for (let at = 0; at < text.length; at++) {
    if (signed[text.charCodeAt(at)] !== 1) continue
    let start = at
    while (start > 0 && leetOrLetter[text.charCodeAt(start - 1)] === 1) start--
    while (leetOrLetter[text.charCodeAt(at + 1)] === 1) at++
    leet.lastIndex = start
    const written = leet.exec(text)?.[0]
    const word = written && wordOf(written)
    if (written === undefined || word === undefined) continue
    read += text.slice(copied, start) + word
    copied = start + written.length
  }
  return copied === 0 ? text : read + text.slice(copied)
}

const piece = "[A-Za-z\\d@$]"
/** Signs alone, some of them with a space at either side, or the hyphen at the end of a line. */
const joint = "(?:-\\r?\\n|[./|\\\\*_'\"`~^+,;:-]{1,3}| ?[./|\\\\]{1,3} ?)"
const run = new RegExp(`(?<!${piece})${piece}(?:${piece}{0,39}(?:${joint}${piece}{1,40}){1,100}|${piece}{13,199})`, "y")
const ofPiece = tableOf(new RegExp(piece))
/** Begins what joins two pieces; a space does where one of the last stands behind it. */
const joins = tableOf(/[./|\\*_'"`~^+,;:-]/)
const joinsApart = tableOf(/[./|\\]/)
const isSpace = tableOf(/\s/)
/** A piece as long as this may be joined words itself. */
const longPiece = 14

/** What is joined of at most so many characters. */
const longestRun = 80
/** So many words are seldom joined by chance; in names of code, of which capitals alone part the words, more are. */
const fewestWords = 3
const fewestInName = 4
const hyphen = "-".charCodeAt(0)
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

const beginsWord = (written: string, from: number): boolean => {
  let at: Branch | undefined = words
  for (let index = from; index < written.length; index++) {
    at = at.next[keyAt(written, index)]
    if (at === undefined) return false
    if (at.word !== undefined) return true
  }
  return false
}

/** The most pieces from the first on that are words of the patterns, one behind the other. */
const wordsIn = (written: string, all: readonly Piece[], first: number): Joined | undefined => {
  const offset = all[first - 1]?.until ?? 0
  if (!beginsWord(written, offset)) return undefined
  const from = all.slice(first, first + longestRun)
  const length = Math.min(longestRun, written.length - offset)
  /** By offset: where the last word before it begins, on the way with the fewest words, and that word. */
  const before = new Int32Array(length + 1).fill(-1)
  const counts = new Int32Array(length + 1)
  const lastWords: string[] = []
  let reached = 0
  for (let at = 0; at <= reached; at++) {
    if (at > 0 && before[at] === -1) continue
    const count = (counts[at] ?? 0) + 1
    let node: Branch | undefined = words
    for (let end = at + 1; end <= length; end++) {
      node = node.next[keyAt(written, offset + end - 1)]
      if (node === undefined) break
      if (node.word === undefined || (before[end] !== -1 && (counts[end] ?? 0) <= count)) continue
      before[end] = at
      counts[end] = count
      lastWords[end] = node.word
      reached = Math.max(reached, end)
    }
  }
  const ends = from.map(({ until }) => until - offset)
  const last = ends.findLastIndex((end) => end <= reached && before[end] !== undefined && before[end] !== -1)
  if (last === -1) return undefined
  const found: string[] = []
  const aligned = new Set([0, ...ends])
  let isCut = false
  for (let end = ends[last] ?? 0; end > 0; end = before[end] ?? 0) {
    const start = before[end] ?? 0
    found.unshift(lastWords[end] ?? "")
    isCut ||= ends.some((cut) => cut > start && cut < end) || (last > 0 && !aligned.has(start))
  }
  return { count: last + 1, words: found, isCut }
}

/** Where pieces that signs join, or a piece as long as several words, may begin; the end of the text where none is. */
const nextRun = (text: string, from: number): number => {
  for (let at = from; at < text.length; at++) {
    if (ofPiece[text.charCodeAt(at)] !== 1 || (at > 0 && ofPiece[text.charCodeAt(at - 1)] === 1)) continue
    let end = at + 1
    while (ofPiece[text.charCodeAt(end)] === 1) end++
    if (end - at >= longPiece) return at
    const [sign, next] = [text.charCodeAt(end), text.charCodeAt(end + 1)]
    if (joins[sign] === 1 ? isSpace[next] !== 1 || joinsApart[sign] === 1 || sign === hyphen : joinsApart[next] === 1)
      return at
    at = end
  }
  return text.length
}

function* runsOf(text: string): Generator<RegExpExecArray> {
  for (let at = nextRun(text, 0); at < text.length;) {
    run.lastIndex = at
    const match = run.exec(text)
    if (match !== null) yield match
    at = nextRun(text, match === null ? at + 1 : at + match[0].length)
  }
}

const piecesOf = (stretch: string, base: number): { readonly written: string; readonly all: readonly Piece[] } => {
  const all: Piece[] = []
  let written = ""
  for (let at = 0; at < stretch.length; at++) {
    if (ofPiece[stretch.charCodeAt(at)] !== 1) continue
    let end = at + 1
    while (ofPiece[stretch.charCodeAt(end)] === 1) end++
    written += stretch.slice(at, end)
    all.push({ start: base + at, end: base + end, until: written.length })
    at = end
  }
  return { written, all }
}

/** Pieces that are looked at in one step. */
const stepPieces = 32

export interface Spelled extends Reading {
  /** The stretches of the reading that were put together, in order. */
  readonly changed: readonly Span[]
}

/** Undefined where nothing was put together. May be left between any two steps. */
export function* spelledReading(text: string): Generator<undefined, Spelled | undefined> {
  const changed: Span[] = []
  let shift = 0
  const rewriting = new Rewriting(text)
  let steps = 0
  for (const { 0: stretch, index } of runsOf(text)) {
    const { written, all } = piecesOf(stretch, index)
    for (let first = 0; first < all.length;) {
      const joined = wordsIn(written, all, first)
      const count = joined?.count ?? 1
      const [start, end] = [all[first]?.start ?? 0, all[first + count - 1]?.end ?? 0]
      const fewest = count === 1 && isName.test(text.slice(start, end)) ? fewestInName : fewestWords
      if (joined !== undefined && (joined.isCut || joined.words.length >= fewest)) {
        const read = joined.words.join(" ")
        rewriting.put(start, end, read)
        changed.push({ start: start + shift, end: start + shift + read.length })
        shift += read.length - (end - start)
      }
      first += count
      if (++steps % stepPieces === 0) yield undefined
    }
  }
  const reading = rewriting.reading()
  return reading && { ...reading, changed }
}
