/** Finds all matches of the prompt injection patterns in a text. Each pattern is tried only where one of its possible beginnings is. */
import { type Span, smallLetters, tableOf } from "../readings/Reading.ts"
import { injectionPatterns, type InjectionPattern } from "./injectionPatterns.ts"
import { beginningsOf, type Literal } from "./patternBeginnings.ts"

export interface Injection extends Span {
  readonly name: InjectionPattern
}

/** A place among all patterns, for where a beginning of it stands. */
interface Candidate extends Literal {
  readonly pattern: number
}

const all = injectionPatterns.map(({ expression }) => beginningsOf(expression.source))
const atStart: readonly Candidate[] = all.flatMap(({ isAtStart }, pattern) =>
  isAtStart ? [{ literal: "", isAtWord: false, pattern }] : []
)

/** By the first two characters. */
const byPair: (Candidate[] | undefined)[] = []
/** Of each pair: whether a beginning has it, and whether only where a word begins. */
const pairs = new Uint8Array(0x40_00)
const [nowhere, atWords, anywhere] = [0, 1, 2]
for (const [pattern, { literals }] of all.entries())
  for (const { literal, isAtWord } of literals)
    for (const second of literal.length > 1 ? [literal.charCodeAt(1)] : Array(0x80).keys()) {
      const pair = (literal.charCodeAt(0) << 7) | second
      ;(byPair[pair] ??= []).push({ literal, isAtWord, pattern })
      pairs[pair] = Math.max(pairs[pair] ?? nowhere, isAtWord ? atWords : anywhere)
    }

const none: readonly Candidate[] = []
const inWord = tableOf(/[A-Za-z0-9]/)

const smallAt = (text: string, at: number): number => smallLetters[text.charCodeAt(at)] ?? 0

const stands = ({ literal }: Candidate, text: string, at: number): boolean => {
  for (let index = 0; index < literal.length; index++)
    if (smallAt(text, at + index) !== literal.charCodeAt(index)) return false
  return true
}

const candidatesAt = (text: string, at: number): readonly Candidate[] => {
  const standing = (byPair[(smallAt(text, at) << 7) | smallAt(text, at + 1)] ?? none).filter((one) =>
    stands(one, text, at)
  )
  return at === 0 ? [...atStart, ...standing] : standing
}

/** The first position from there where a beginning stands; `until` where none does before. */
const nextBeginning = (text: string, from: number, until: number): number => {
  if (from >= until) return until
  let small = smallAt(text, from)
  let isInWord = from > 0 && inWord[text.charCodeAt(from - 1)] === 1
  for (let at = from; at < until; at++) {
    const code = text.charCodeAt(at + 1)
    const next = smallLetters[code] ?? 0
    const pair = (small << 7) | next
    const kind = pairs[pair]
    if (kind !== nowhere && (kind === anywhere || !isInWord))
      for (const one of byPair[pair] ?? none) if (stands(one, text, at)) return at
    isInWord = inWord[small] === 1
    small = next
  }
  return until
}

/** Patterns that are tried in one step. */
const stepTries = 200

/**
 * In order of where they begin; those of one pattern do not overlap. Only those that begin within a span. Yields undefined between
 * two steps.
 */
export function* searchInjections(
  text: string,
  { start, end: until }: Span = { start: 0, end: text.length }
): Generator<Injection | undefined> {
  const ends = new Int32Array(injectionPatterns.length)
  let tries = 0
  const first = start === 0 && atStart.length > 0 ? 0 : nextBeginning(text, start, until)
  for (let at = first; at < until; at = nextBeginning(text, at + 1, until))
    for (const { pattern } of candidatesAt(text, at)) {
      const one = injectionPatterns[pattern]
      if (one === undefined || at < (ends[pattern] ?? 0)) continue
      const { name, expression } = one
      expression.lastIndex = at
      const match = expression.exec(text)
      if (match !== null) {
        const end = at + match[0].length
        ends[pattern] = end
        yield { name, start: at, end }
      }
      if (++tries % stepTries === 0) yield undefined
    }
}
