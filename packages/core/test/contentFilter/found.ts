import type { Finder, Span } from "../../src/contentFilter/Span.ts"
import { spansOf } from "../../src/contentFilter/spansOf.ts"

/** All that a finder finds. */
export const found = (finder: Finder, text: string): readonly Span[] =>
  [...spansOf(finder, text)].filter((span) => span !== undefined)
