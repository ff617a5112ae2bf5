/** Prompt injection: the named patterns over a text and over what it hides. A match tells which pattern made it. */
import { hiddenReadings, unscrambled } from "./injectionReadings.ts"
import { type Injection, searchInjections } from "./searchInjections.ts"
import { spelledReading, withoutDigits } from "./spelledReading.ts"
import type { Span } from "../readings/Reading.ts"

export type { Injection }

const windowSize = 16_384
/** Hardly a match is wider. */
const overlap = 512

/** A word is read otherwise only as a whole. */
const longestWord = 64

const respelled = (text: string): string => unscrambled(withoutDigits(text))

/** Where matches begin that touch a stretch, or that overlap such a match. */
const around = (stretches: readonly Span[], length: number): readonly Span[] => {
  const wide: { readonly start: number; end: number }[] = []
  for (const { start, end } of stretches) {
    const last = wide.at(-1)
    const until = Math.min(length, end + overlap)
    if (last !== undefined && start - overlap <= last.end) last.end = until
    else wide.push({ start: Math.max(0, start - overlap), end: until })
  }
  return wide
}

/** Yields undefined between two steps. What lies where two windows overlap is found twice. */
export function* findInjections(text: string): Generator<Injection | undefined> {
  for (let from = 0; from < text.length; from += windowSize) {
    const base = Math.max(0, from - overlap)
    const view = text.slice(base, from + windowSize)
    for (const match of searchInjections(respelled(view)))
      yield match && { name: match.name, start: base + match.start, end: base + match.end }
    yield undefined
    const spelled = yield* spelledReading(view)
    if (spelled === undefined) continue
    // Elsewhere the reading is the text, in which everything was found.
    for (const { start, end } of around(spelled.changed, spelled.text.length)) {
      const sliced = Math.max(0, start - longestWord)
      const stretch = respelled(spelled.text.slice(sliced, end + overlap))
      for (const match of searchInjections(stretch, { start: start - sliced, end: end - sliced })) {
        const at = match && spelled.origin({ start: sliced + match.start, end: sliced + match.end })
        yield match && at && { name: match.name, start: base + at.start, end: base + at.end }
      }
    }
  }
  for (const reading of hiddenReadings(text)) {
    if (reading === undefined) {
      yield undefined
      continue
    }
    for (const match of searchInjections(respelled(reading.text)))
      yield match && { name: match.name, ...reading.origin(match) }
    yield undefined
  }
}
