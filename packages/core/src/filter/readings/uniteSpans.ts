/** Merges the findings of several readings of a text, without duplicates. */
import type { Span } from "./Span.ts"

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
export function* unitedSpans<S extends Named>(found: readonly (readonly S[])[]): Generator<void, readonly S[]> {
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

/** The same at once. */
export const uniteSpans = <S extends Named>(spans: readonly S[]): readonly S[] => {
  if (spans.length < 2) return spans
  const steps = unitedSpans([spans])
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value
}
