/**
 * Runs a program compiled by `re2js`, a bounded number of instructions at a time.
 *
 * The same automaton that `re2js` runs over long texts (its `Machine`: all alternatives at once, in order of preference), without
 * submatches. In `re2js` a search runs to its end; here it can pause after any character, whatever the pattern.
 */
import { type Re2Program, searchable } from "./re2Program.ts"
import type { Span } from "../readings/Reading.ts"

/** The operations of `re2js`, by its numbers. */
const op = {
  alternative: 1,
  alternativeMatch: 2,
  capture: 3,
  emptyWidth: 4,
  match: 6,
  nothing: 7,
  rune: 8,
  rune1: 9,
  anyRune: 10,
  anyButNewline: 11
} as const

/** What holds at a position, as bits. */
const at = { beginLine: 1, endLine: 2, beginText: 4, endText: 8, wordBoundary: 16, noWordBoundary: 32 } as const

const newline = 10

const isWord = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95

const conditionsAt = (text: string, position: number): number => {
  const before = position > 0 ? text.charCodeAt(position - 1) : -1
  const after = position < text.length ? text.charCodeAt(position) : -1
  return (
    (before === -1 ? at.beginText | at.beginLine : before === newline ? at.beginLine : 0) |
    (after === -1 ? at.endText | at.endLine : after === newline ? at.endLine : 0) |
    (isWord(before) === isWord(after) ? at.noWordBoundary : at.wordBoundary)
  )
}

/** Where each alternative stands and where its match began, in order of preference. */
interface Threads {
  readonly instructions: Int32Array
  readonly starts: Int32Array
  count: number
}

/** At most so many instructions are looked at before a search is left, and those of one character. */
export const stepInstructions = 100_000

/** Paused, or what was found: undefined is nothing. */
export type Stepped = "paused" | Span | undefined

/**
 * `search(from)` is called again with the same position for as long as it answers `paused`. A span may be empty. `work`: the instructions of
 * the last step, which `most` bounds.
 */
export const steppedSearch = (
  { inst, start, condition, prefix }: Re2Program,
  text: string,
  most = stepInstructions
): { readonly search: (from: number) => Stepped; readonly work: () => number } => {
  const threads = (): Threads => ({
    instructions: new Int32Array(inst.length),
    starts: new Int32Array(inst.length),
    count: 0
  })
  const stack = new Int32Array(inst.length + 1)
  /** For which position of which search an instruction was last followed. */
  const followed = new Float64Array(inst.length)
  const looksAround = inst.some((one) => one.op === op.emptyWidth)
  const head = searchable(prefix)
  const neverMatches = condition === -1
  const onlyAtStart = (condition & at.beginText) !== 0

  let current = threads()
  let next = threads()
  /** Before all marks of this search. */
  let base = 1
  let position = 0
  let found: Span | undefined
  let work = 0

  /** Follows everything that takes no character. An instruction is followed once a position, by the most preferred. */
  const follow = (into: Threads, first: number, began: number, where: number, conditions: number): void => {
    const mark = base + where
    let depth = 0
    stack[depth++] = first
    while (depth > 0) {
      let place = stack[--depth] ?? 0
      while (place !== 0 && followed[place] !== mark) {
        followed[place] = mark
        work++
        const one = inst[place]
        if (one === undefined) break
        if (one.op === op.alternative || one.op === op.alternativeMatch) {
          stack[depth++] = one.arg
          place = one.out
        } else if (one.op === op.capture || one.op === op.nothing) place = one.out
        else if (one.op === op.emptyWidth) place = (one.arg & ~conditions) === 0 ? one.out : 0
        else {
          if (one.op >= op.match) {
            into.instructions[into.count] = place
            into.starts[into.count++] = began
          }
          break
        }
      }
    }
  }

  const begin = (from: number): void => {
    current.count = 0
    next.count = 0
    base += text.length + 1
    position = from
    found = undefined
  }

  /** One character further; false when the search is over. */
  const advance = (): boolean => {
    if (current.count === 0) {
      if (found !== undefined || (onlyAtStart && position !== 0)) return false
      if (head !== "") {
        const ahead = text.indexOf(head, position)
        if (ahead === -1) return false
        position = ahead
      }
    }
    if (found === undefined) follow(current, start, position, position, looksAround ? conditionsAt(text, position) : 0)
    const rune = text.codePointAt(position) ?? -1
    const after = position + (rune > 0xffff ? 2 : 1)
    const conditions = looksAround ? conditionsAt(text, after) : 0
    for (let index = 0; index < current.count; index++) {
      const one = inst[current.instructions[index] ?? 0]
      const began = current.starts[index] ?? 0
      if (one === undefined) continue
      if (one.op === op.match) {
        found = { start: began, end: position }
        break
      }
      const isTaken =
        rune !== -1 &&
        (one.op === op.rune1
          ? rune === one.runes[0]
          : one.op === op.rune
            ? one.matchRune(rune)
            : one.op === op.anyRune || rune !== newline)
      if (isTaken) follow(next, one.out, began, after, conditions)
    }
    work += current.count + 1
    current.count = 0
    if (rune === -1) return false
    position = after
    const emptied = current
    current = next
    next = emptied
    return true
  }

  let pausedAt: number | undefined
  return {
    search: (from: number): Stepped => {
      work = 0
      if (neverMatches || from > text.length) return undefined
      if (pausedAt !== from) begin(from)
      pausedAt = undefined
      while (advance())
        if (work >= most) {
          pausedAt = from
          return "paused"
        }
      return found
    },
    work: () => work
  }
}
