/** A text read in another way, such as without characters that nobody sees, and where each stretch of it stands in the original. */
import type { Span } from "./Span.ts"

export interface Reading {
  readonly text: string
  /** The stretch of the original that a stretch of the reading stands for. */
  readonly origin: (span: Span) => Span
}

export const asWritten = (text: string): Reading => ({ text, origin: (span) => span })

/** The reading of a reading, with offsets into what the first one read. */
export const readingOf = (first: Reading, second: Reading): Reading => ({
  text: second.text,
  origin: (span) => first.origin(second.origin(span))
})

/** Numbers for one rewritten stretch: where it stands in the reading, where it ends there, and both in the original. */
const width = 4

const piecesPerChunk = 4_096

/**
 * Rewrites stretches of a text, in order. Between them both run alike, so that only what changes the offsets is remembered:
 * a character that is replaced by one of the same length costs nothing.
 */
export class Rewriting {
  readonly #original: string
  readonly #chunks: string[] = []
  /** Pieces of the next chunk: a text that grows by `+=` is only put together when it is read, all at once. */
  #pieces: string[] = []
  #length = 0
  #copied = 0
  #isChanged = false
  #places = new Int32Array(64)
  #count = 0

  constructor(original: string) {
    this.#original = original
  }

  /** What stands between the two offsets is read as `replacement`, which may be empty. */
  put(from: number, to: number, replacement: string): void {
    const before = this.#original.slice(this.#copied, from)
    this.#pieces.push(before, replacement)
    this.#length += before.length
    this.#copied = to
    this.#isChanged = true
    if (replacement.length !== to - from) {
      const last = this.#count - width
      const isRemovedOn = replacement === "" && before === "" && this.#places[last] === this.#length
      // Removed right after something else was: one stretch.
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

  /** Undefined where nothing was rewritten: the text is read as it is. */
  reading(): Reading | undefined {
    if (!this.#isChanged) return undefined
    const text = [...this.#chunks, ...this.#pieces, this.#original.slice(this.#copied)].join("")
    const places = this.#places
    const count = this.#count / width
    /** The last rewritten stretch that begins at or before an offset of the reading, by its place among the numbers. */
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
