/** A stretch of a text, in UTF-16 code units, `end` exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Finds the next match at or after a position. An empty span says that nothing was found before its end and that the search
 * goes on from there, so that a long search can be left between any two steps; undefined, that nothing is left to find.
 * An answer ends after `from`, or at it when the search is paused and knows itself how far it came. A search keeps its text; a
 * finder keeps none.
 */
export interface Finder {
  readonly search: (text: string) => (from: number) => Span | undefined
}
