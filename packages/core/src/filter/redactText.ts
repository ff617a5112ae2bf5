/** Replaces spans of a text. */
import type { Step } from "../value/inSlices.ts"
import type { Span } from "./readings/Span.ts"

export interface LabelledSpan extends Span {
  readonly label: string
  /** The label names the format of what is found, if it has one. */
  readonly isSecret?: true
}

/** UTF-16 code units of a text that is put together within a step. */
const joinedAtOnce = 1_048_576

/** Disjoint spans in order, each with the label of its first; of those that start together, the longest comes first, then the order given. */
export const unitedSpans = (spans: readonly LabelledSpan[]): readonly LabelledSpan[] => {
  const united: LabelledSpan[] = []
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = united.at(-1)
    if (last === undefined || span.start >= last.end) united.push(span)
    else if (span.end > last.end) united[united.length - 1] = { ...last, end: span.end }
  }
  return united
}

/** `spans`: disjoint and in order, each is replaced by its label, literally. A generator that can pause between any two steps. */
export function* redactText(text: string, spans: readonly LabelledSpan[]): Generator<Step, string> {
  const pieces: string[] = []
  let copied = 0
  for (const { start, end, label } of spans) {
    pieces.push(text.slice(copied, start), label)
    copied = end
    yield
  }
  pieces.push(text.slice(copied))
  if (text.length > joinedAtOnce) yield "long"
  return pieces.join("")
}
