import { type Finder, type Span, spansOf } from "../../core/src/filter/readings/Reading.ts"

/** All that a finder finds. */
export const found = (finder: Finder, text: string): readonly Span[] =>
  [...spansOf(finder, text)].filter((span) => span !== undefined)
