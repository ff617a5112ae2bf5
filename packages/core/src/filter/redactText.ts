/** Replaces spans of a text by labels; overlapping spans get the label of the first. */
import type { Step } from "../value/inSlices.ts"
import type { Span } from "./Span.ts"

export interface LabelledSpan extends Span {
  readonly label: string
}

/** UTF-16 code units of a text that is put together within a step. */
const joinedAtOnce = 1_048_576

/** Disjoint spans in order; of those that start together, the longest comes first, then the order given. */
const unitedSpans = (spans: readonly LabelledSpan[]): readonly LabelledSpan[] => {
  const united: LabelledSpan[] = []
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = united.at(-1)
    if (last === undefined || span.start >= last.end) united.push(span)
    else if (span.end > last.end) united[united.length - 1] = { ...last, end: span.end }
  }
  return united
}

/**
 * `replacement` may tell distinct values apart; by default a span becomes its label, literally. Returns the text. A generator that can
 * pause between any two steps.
 */
export function* redactText(
  text: string,
  spans: readonly LabelledSpan[],
  replacement: (label: string, value: string) => string = (label) => label
): Generator<Step, string> {
  const pieces: string[] = []
  let copied = 0
  for (const { start, end, label } of unitedSpans(spans)) {
    pieces.push(text.slice(copied, start), replacement(label, text.slice(start, end)))
    copied = end
    yield
  }
  pieces.push(text.slice(copied))
  if (text.length > joinedAtOnce) yield "long"
  return pieces.join("")
}
