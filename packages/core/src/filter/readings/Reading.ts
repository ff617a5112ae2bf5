/** A normalised form of a text, such as without invisible characters, with a mapping of offsets to the original. */
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

/** A range of a text, in UTF-16 code units, `end` exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Finds the next match at or after a position. An empty span is a pause: nothing was found before its end, and the search continues there.
 * Undefined: no further match. The span ends after `from`, or at `from` if a paused search remembers its position itself. A search keeps a
 * reference to its text, a finder does not.
 */
export interface Finder {
  readonly search: (text: string) => (from: number) => Span | undefined
}

/** All that a finder finds in a text; undefined between two steps. */
export function* spansOf(finder: Finder, text: string): Generator<Span | undefined> {
  const next = finder.search(text)
  for (let found = next(0); found !== undefined; found = next(found.end))
    yield found.end > found.start ? found : undefined
}

/** One number for each UTF-16 code unit, so that a loop over a text looks up what a character is instead of searching for it. */
const size = 0x1_00_00
const ascii = 0x80

/** 1 for the characters of ASCII that the expression matches; `beyond` for all others. */
export const tableOf = (expression: RegExp, beyond: 0 | 1 = 0): Uint8Array => {
  const table = new Uint8Array(size).fill(beyond)
  for (let code = 0; code < ascii; code++) table[code] = expression.test(String.fromCharCode(code)) ? 1 : 0
  return table
}

/** The small letter for a letter of ASCII, itself for other characters of ASCII; 0 for all others. */
export const smallLetters = new Uint8Array(size)
for (let code = 0; code < ascii; code++) smallLetters[code] = String.fromCharCode(code).toLowerCase().charCodeAt(0)

type Named = Span & { readonly name?: string }

const inOrder = (a: Span, b: Span): number => a.start - b.start || b.end - a.end

/** Spans that are looked at in one step. */
export const stepSpans = 1_000

/** Most lists are in order as they were found. */
const ordered = <S extends Named>(spans: readonly S[]): readonly S[] =>
  spans.every((span, index) => index === 0 || inOrder(spans[index - 1] ?? span, span) <= 0)
    ? spans
    : [...spans].sort(inOrder)

/** The first of the lists' next spans, in order. */
const nextOf = <S extends Named>(lists: readonly (readonly S[])[], places: readonly number[]): number => {
  let first = -1
  for (let list = 0; list < lists.length; list++) {
    const span = lists[list]?.[places[list] ?? 0]
    const least = lists[first]?.[places[first] ?? 0]
    if (span !== undefined && (least === undefined || inOrder(span, least) < 0)) first = list
  }
  return first
}

/** Merges several lists, in order. Overlapping spans of one name become one. A generator that can pause between any two steps. */
export function* mergeSpans<S extends Named>(found: readonly (readonly S[])[]): Generator<void, readonly S[]> {
  const lists = found.map(ordered)
  const places = lists.map(() => 0)
  const last = new Map<string | undefined, number>()
  const united: S[] = []
  for (let count = 1; ; count++) {
    const list = nextOf(lists, places)
    const at = places[list] ?? 0
    const span = lists[list]?.[at]
    if (span === undefined) return united
    places[list] = at + 1
    const place = last.get(span.name)
    const before = place === undefined ? undefined : united[place]
    if (place === undefined || before === undefined || span.start >= before.end) {
      last.set(span.name, united.length)
      united.push(span)
    } else if (span.end > before.end) united[place] = { ...before, end: span.end }
    if (count % stepSpans === 0) yield
  }
}

/**
 * Merges the findings of several readings of a text, without duplicates.
 *
 * The same at once.
 */
export const uniteSpans = <S extends Named>(spans: readonly S[]): readonly S[] => {
  if (spans.length < 2) return spans
  const steps = mergeSpans([spans])
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value
}
