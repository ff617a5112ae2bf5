/** The request after redaction, with labels or placeholders for findings. A generator that can pause between any two steps. */
import { contentFilterBuiltins } from "@gatewarden/contract/internal"
import type { Step } from "../value/inSlices.ts"
import { secretFormat } from "./builtins/secretShapes.ts"
import type { Outcome } from "./outcomesOf.ts"
import { type Passage, type Passages, inTexts } from "./passages.ts"
import { freeNumbers, makePlaceholders } from "./prompt/Placeholders.ts"
import type { Prompt, PromptTexts } from "./prompt/PromptTexts.ts"
import type { Restorer } from "./prompt/Restorer.ts"
import type { Span } from "./readings/Reading.ts"

export interface LabelledSpan extends Span {
  readonly label: string
  /** The label names the format of what is found, if it has one. */
  readonly isSecret?: true
}

/** UTF-16 code units of a text that is put together within a step. */
const joinedAtOnce = 1_048_576

/** Disjoint spans in order, each with the label of its first; of those that start together, the longest comes first, then the order given. */
export const mergeLabelledSpans = (spans: readonly LabelledSpan[]): readonly LabelledSpan[] => {
  const united: LabelledSpan[] = []
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = united.at(-1)
    if (last === undefined || span.start >= last.end) united.push(span)
    else if (span.end > last.end) united[united.length - 1] = { ...last, end: span.end }
  }
  return united
}

/**
 * Replaces spans of a text.
 *
 * `spans`: disjoint and in order, each is replaced by its label, literally. A generator that can pause between any two steps.
 */
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

export interface RedactedPrompt extends Prompt {
  readonly restore: Restorer | undefined
  /** What was inserted. */
  readonly labels: ReadonlySet<string>
}

/** What a model reads as one text, as one: a placeholder may be cut over parts, too. */
export const writtenIn = ({ parts }: Passage, { texts }: PromptTexts): string =>
  parts.length === 1
    ? (texts[parts[0]?.text ?? 0]?.text ?? "")
    : parts.map(({ text }) => texts[text]?.text ?? "").join("")

function* allWritten(passages: readonly Passage[], texts: PromptTexts): Generator<string> {
  for (const passage of passages) yield writtenIn(passage, texts)
}

/** A label that somebody chose is inserted as it is. */
const namesFormats = ({ filter, label }: Outcome["filter"]): boolean =>
  filter === "secrets" && label === contentFilterBuiltins.secrets.label

/** The same objects if nothing was redacted. */
export function* redactPrompt(
  prompt: Prompt,
  texts: PromptTexts,
  { passages }: Passages,
  outcomes: readonly Outcome[],
  { reversible }: { readonly reversible: boolean }
): Generator<Step, RedactedPrompt> {
  const found = new Map<Passage, LabelledSpan[]>()
  let count = 0
  for (const { filter, found: all } of outcomes)
    if (filter.action === "redact")
      for (const { text: place, start, end } of all) {
        const passage = passages[place]
        if (passage !== undefined && !passage.isAddress) {
          const spans = found.get(passage) ?? []
          spans.push({ start, end, label: filter.label, ...(namesFormats(filter) ? { isSecret: true as const } : {}) })
          found.set(passage, spans)
          count++
        }
        yield
      }
  const labels = new Set<string>()
  if (found.size === 0) return { restore: undefined, labels, ...prompt }
  const placeholders = reversible ? makePlaceholders(yield* freeNumbers(allWritten(passages, texts), count)) : undefined
  const textOf = (place: number): string => texts.texts[place]?.text ?? ""
  const cuts = new Map<number, LabelledSpan[]>()
  for (const [passage, spans] of found)
    for (const { start, end, label: given, isSecret } of mergeLabelledSpans(spans)) {
      // A value that is cut over parts becomes one placeholder, in the first of them.
      const stretches: ({ readonly text: number } & Span)[] = []
      for (const stretch of inTexts(passage, { start, end })) {
        stretches.push(stretch)
        yield
      }
      const value = stretches.map(({ text, ...at }) => textOf(text).slice(at.start, at.end)).join("")
      const format = isSecret && secretFormat(value)
      const label = format === undefined ? given : `[SECRET:${format}]`
      const placeholder = placeholders?.of(label, value) ?? label
      labels.add(placeholder)
      for (const [nth, { text, ...at }] of stretches.entries()) {
        const cut = cuts.get(text) ?? []
        cut.push({ ...at, label: nth === 0 ? placeholder : "" })
        cuts.set(text, cut)
        yield
      }
    }
  const redacted = new Map<number, string>()
  for (const [place, cut] of cuts) redacted.set(place, yield* redactText(textOf(place), cut))
  return { ...(yield* texts.rewrite(redacted)), restore: placeholders?.restorer(), labels }
}

/** A label has 100 characters, and the number of a placeholder at most 20. */
const longestLabel = 120

const bracketed = /^\[[^[\]]*\]$/

/** Tells of a span of a redacted text whether it is an inserted label, or within one. */
export const withinLabels = (labels: ReadonlySet<string>): ((text: string, span: Span) => boolean) => {
  // There may be very many placeholders, all of which have brackets; others are as many as filters.
  const others = [...labels].filter((label) => label !== "" && !bracketed.test(label))
  return (text, { start, end }) => {
    if (end - start > longestLabel) return false
    const from = Math.max(0, start - longestLabel)
    const around = text.slice(from, end + longestLabel)
    const open = around.lastIndexOf("[", start - from)
    if (open !== -1 && labels.has(around.slice(open, around.indexOf("]", end - from - 1) + 1))) return true
    return others.some((label) => {
      const at = around.indexOf(label, Math.max(0, end - from - label.length))
      return at !== -1 && at + from <= start
    })
  }
}
