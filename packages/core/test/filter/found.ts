import type { Finder, Span } from "../../src/filter/readings/Span.ts"
import { spansOf } from "../../src/filter/readings/spansOf.ts"

/** All that a finder finds. */
export const found = (finder: Finder, text: string): readonly Span[] =>
  [...spansOf(finder, text)].filter((span) => span !== undefined)
