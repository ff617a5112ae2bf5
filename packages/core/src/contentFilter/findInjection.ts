/** Prompt injection: the named patterns over a text and over what it hides. A match tells which pattern made it. */
import { injectionPatterns, type InjectionPattern } from "./injectionPatterns.ts"
import { hiddenReadings, unscrambled } from "./injectionReadings.ts"
import { spelledReading, withoutDigits } from "./spelledReading.ts"
import type { Span } from "./Span.ts"

export interface Injection extends Span {
  readonly name: InjectionPattern
}

const windowSize = 16_384
/** Hardly a match is wider. */
const overlap = 512

/** All patterns over a text as long as this are one step. */
const shortText = 512

const respelled = (text: string): string => unscrambled(withoutDigits(text))

function* matches(text: string): Generator<Injection | undefined> {
  for (const { name, expression } of injectionPatterns) {
    expression.lastIndex = 0
    for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
      const start = match.index
      const end = start + match[0].length
      yield { name, start, end }
      expression.lastIndex = end
    }
    if (text.length > shortText) yield undefined
  }
}

/** Yields undefined between two steps. What lies where two windows overlap is found twice. */
export function* findInjections(text: string): Generator<Injection | undefined> {
  for (let from = 0; from < text.length; from += windowSize) {
    const base = Math.max(0, from - overlap)
    const view = text.slice(base, from + windowSize)
    for (const match of matches(respelled(view)))
      yield match && { name: match.name, start: base + match.start, end: base + match.end }
    yield undefined
    const spelled = yield* spelledReading(view)
    if (spelled === undefined) continue
    for (const match of matches(respelled(spelled.text))) {
      const at = match && spelled.origin(match)
      yield match && at && { name: match.name, start: base + at.start, end: base + at.end }
    }
  }
  for (const reading of hiddenReadings(text)) {
    if (reading === undefined) {
      yield undefined
      continue
    }
    for (const match of matches(respelled(reading.text))) yield match && { name: match.name, ...reading.origin(match) }
    yield undefined
  }
}
