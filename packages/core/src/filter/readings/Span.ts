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
