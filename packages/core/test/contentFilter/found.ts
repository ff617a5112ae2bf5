import type { Finder, Span } from "../../src/contentFilter/Span.ts"

/** All that a finder finds. */
export const found = (finder: Finder, text: string): readonly Span[] => {
  const spans: Span[] = []
  const next = finder.search(text)
  for (let span = next(0); span !== undefined; span = next(span.end)) if (span.end > span.start) spans.push(span)
  return spans
}
