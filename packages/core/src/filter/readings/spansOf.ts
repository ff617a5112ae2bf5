import type { Finder, Span } from "./Span.ts"

/** All that a finder finds in a text; undefined between two steps. */
export function* spansOf(finder: Finder, text: string): Generator<Span | undefined> {
  const next = finder.search(text)
  for (let found = next(0); found !== undefined; found = next(found.end))
    yield found.end > found.start ? found : undefined
}
