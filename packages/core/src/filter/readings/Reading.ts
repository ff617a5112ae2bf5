/** A normalised form of a text, such as without invisible characters, with a mapping of offsets to the original. */
import type { Span } from "./Span.ts"

export interface Reading {
  readonly text: string
  /** The range of the original for a range of the reading. */
  readonly origin: (span: Span) => Span
}

export const asWritten = (text: string): Reading => ({ text, origin: (span) => span })

/** A reading of a reading, with offsets into the original of the first one. */
export const readingOf = (first: Reading, second: Reading): Reading => ({
  text: second.text,
  origin: (span) => first.origin(second.origin(span))
})

/** Numbers for each rewritten range: its start and end in the reading, and its start and end in the original. */
const width = 4

const piecesPerChunk = 4_096

/**
 * Builds a reading by rewriting ranges of a text, in order. Only changes of offsets are recorded, so replacing a character by one of the
 * same length costs nothing.
 */
export class Rewriting {
  readonly #original: string
  readonly #chunks: string[] = []
  /** Pieces of the next chunk. They are joined in steps, because a string built with `+=` is flattened at once when it is read. */
  #pieces: string[] = []
  #length = 0
  #copied = 0
  #isChanged = false
  #places = new Int32Array(64)
  #count = 0

  constructor(original: string) {
    this.#original = original
  }

  /** Replaces the text between two offsets by `replacement`, which may be empty. */
  put(from: number, to: number, replacement: string): void {
    const before = this.#original.slice(this.#copied, from)
    this.#pieces.push(before, replacement)
    this.#length += before.length
    this.#copied = to
    this.#isChanged = true
    if (replacement.length !== to - from) {
      const last = this.#count - width
      const isRemovedOn = replacement === "" && before === "" && this.#places[last] === this.#length
      // Merges two adjacent removals into one range.
      if (isRemovedOn && last >= 0) this.#places[last + 3] = to
      else this.#remember(this.#length, this.#length + replacement.length, from, to)
    }
    this.#length += replacement.length
    if (this.#pieces.length > piecesPerChunk) {
      this.#chunks.push(this.#pieces.join(""))
      this.#pieces = []
    }
  }

  #remember(start: number, end: number, from: number, to: number): void {
    if (this.#count + width > this.#places.length) {
      const larger = new Int32Array(this.#places.length * 2)
      larger.set(this.#places)
      this.#places = larger
    }
    this.#places[this.#count++] = start
    this.#places[this.#count++] = end
    this.#places[this.#count++] = from
    this.#places[this.#count++] = to
  }

  /** Undefined if nothing was rewritten. */
  reading(): Reading | undefined {
    if (!this.#isChanged) return undefined
    const text = [...this.#chunks, ...this.#pieces, this.#original.slice(this.#copied)].join("")
    const places = this.#places
    const count = this.#count / width
    /** The index of the last rewritten range that begins at or before an offset of the reading. */
    const placeAt = (offset: number): number => {
      let low = 0
      let high = count
      while (low < high) {
        const middle = (low + high) >>> 1
        if ((places[middle * width] ?? 0) <= offset) low = middle + 1
        else high = middle
      }
      return (low - 1) * width
    }
    const startOf = (offset: number): number => {
      const at = placeAt(offset)
      if (at < 0) return offset
      const end = places[at + 1] ?? 0
      return offset < end ? (places[at + 2] ?? 0) : (places[at + 3] ?? 0) + offset - end
    }
    const endOf = (offset: number): number => {
      const at = placeAt(offset - 1)
      if (at < 0) return offset
      const end = places[at + 1] ?? 0
      return offset <= end ? (places[at + 3] ?? 0) : (places[at + 3] ?? 0) + offset - end
    }
    return { text, origin: ({ start, end }) => ({ start: startOf(start), end: endOf(end) }) }
  }
}
