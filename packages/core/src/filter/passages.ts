/**
 * Passages, which are scanned as one text: each text of a request, and adjacent parts of one content together, because a model reads them
 * without a break.
 *
 * Rule: content-filters#what-filters-see. Parts are scanned separately, joined, and joined with a line break, because a word or a phrase may be
 * split. The name and the value of a member are scanned separately, and joined with a colon, because the name may tell what the value is.
 */
import type { ChatRole } from "@gatewarden/contract/internal"
import type { Hit, JoinedText } from "./ScanJob.ts"
import type { PromptText } from "./prompt/PromptTexts.ts"
import { type Span, uniteSpans } from "./readings/Reading.ts"

/** A text, or adjacent parts. Offsets of findings count its characters without breaks. */
export interface Passage {
  readonly role: ChatRole | null
  readonly parts: readonly PassagePart[]
  /** An id or a setting. */
  readonly isToken: boolean
  /** A URL of content. */
  readonly isAddress: boolean
}

interface PassagePart {
  /** Its index among the texts of the request. */
  readonly text: number
  readonly start: number
  readonly end: number
}

/** A text to scan, with a mapping of its offsets to its passage. */
interface View {
  readonly text: string | JoinedText
  readonly passage: number
  /** The part that it is, alone. */
  readonly part?: PassagePart
  /** Whether a line break, or a colon, stands between its parts. */
  readonly isBroken?: boolean
  /** Whether it is a name and a value. */
  readonly isMember?: boolean
}

export interface Passages {
  readonly passages: readonly Passage[]
  readonly views: readonly View[]
}

const stepSize = 1_000

const isCutInside = (before: string, after: string): boolean => /\S$/.test(before) && /^\S/.test(after)

export function* passagesOf(texts: readonly PromptText[]): Generator<void, Passages> {
  const passages: Passage[] = []
  const views: View[] = []
  const runs = new Map<number, number[]>()
  for (const [index, { text, role, run, isToken, isAddress }] of texts.entries()) {
    if (index % stepSize === stepSize - 1) yield
    const others = runs.get(run)
    if (run >= 0 && others !== undefined) others.push(index)
    else if (run >= 0) runs.set(run, [index])
    else {
      views.push({ text, passage: passages.length })
      const part = { text: index, start: 0, end: text.length }
      passages.push({ role, parts: [part], isToken, isAddress })
    }
  }
  for (const run of runs.values()) {
    yield
    const passage = passages.length
    const parts: PassagePart[] = []
    const pieces: string[] = []
    let length = 0
    let isBroken = false
    for (const [place, index] of run.entries()) {
      if (place % stepSize === stepSize - 1) yield
      const { text = "" } = texts[index] ?? {}
      isBroken ||= isCutInside(pieces.at(-1) ?? " ", text)
      pieces.push(text)
      parts.push({ text: index, start: length, end: length + text.length })
      length += text.length
    }
    passages.push({ role: texts[run[0] ?? 0]?.role ?? null, parts, isToken: false, isAddress: false })
    if (parts.length === 1) {
      views.push({ text: pieces[0] ?? "", passage })
      continue
    }
    const of: number[] = []
    for (const [place, part] of parts.entries()) {
      if (place % stepSize === stepSize - 1) yield
      of.push(views.length)
      views.push({ text: pieces[place] ?? "", passage, part })
    }
    if (texts[run[0] ?? 0]?.isMember === true) {
      views.push({ text: { of, between: ":" }, passage, isBroken: true, isMember: true })
      continue
    }
    views.push({ text: { of, between: "" }, passage })
    if (isBroken) views.push({ text: { of, between: "\n" }, passage, isBroken })
  }
  return { passages, views }
}

/** The place of the last part that begins at or before an offset, of those that say something about it. */
const partAt = (parts: readonly PassagePart[], offset: number, breaks: 0 | 1): number => {
  let low = 0
  let high = parts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((parts[middle]?.start ?? 0) + middle * breaks <= offset) low = middle + 1
    else high = middle
  }
  return Math.max(0, low - 1)
}

/** Where a stretch of a view stands in its passage; undefined for a line break that is in none. */
export const inPassage = <S extends Span>({ passages, views }: Passages, view: number, span: S): S | undefined => {
  const seen = views[view]
  if (seen === undefined) return undefined
  if (seen.part !== undefined) return { ...span, start: seen.part.start + span.start, end: seen.part.start + span.end }
  if (seen.isBroken !== true) return span
  const parts = passages[seen.passage]?.parts ?? []
  const [first, last] = [partAt(parts, span.start, 1), partAt(parts, span.end - 1, 1)]
  // A break is behind the part that it ends.
  const begin = Math.min(span.start - first, parts[first]?.end ?? 0)
  const end = Math.min(span.end - last, parts[last]?.end ?? 0)
  // What the name tells is the value, and no redaction changes the name of it.
  const start = seen.isMember === true && last > first ? (parts[last]?.start ?? begin) : begin
  return end > start ? { ...span, start, end } : undefined
}

/** Hits in views, by their places, as hits in passages. May be left between any two. */
export function* inPassages(passages: Passages, hits: readonly Hit[]): Generator<void, readonly Hit[]> {
  const { views } = passages
  if (views.every(({ passage }, view) => passage === view)) return hits
  const found: Hit[] = []
  for (const hit of hits) {
    yield
    // The colon behind the name is not of the text, and many members are called like that.
    if (hit.name === "system_prefix_spoofing" && views[hit.text]?.isMember === true) continue
    const place = inPassage(passages, hit.text, hit)
    if (place !== undefined) found.push({ ...place, text: views[hit.text]?.passage ?? 0 })
  }
  return found
}

/** `text`: a passage, by its place. */
type FoundIn = Span & { readonly text: number; readonly name?: string }

/** What several views of one passage have in common is there once. */
export const uniteFound = <F extends FoundIn>({ passages }: Passages, found: readonly F[]): readonly F[] => {
  if (found.every(({ text }) => passages[text]?.parts.length === 1)) return found
  const byPassage = new Map<number, F[]>()
  for (const one of found) {
    const others = byPassage.get(one.text)
    if (others === undefined) byPassage.set(one.text, [one])
    else others.push(one)
  }
  return [...byPassage].flatMap(([passage, spans]) =>
    passages[passage]?.parts.length === 1 ? spans : uniteSpans(spans)
  )
}

/** A span of a passage as spans of the texts that it runs over. */
export function* inTexts({ parts }: Passage, span: Span): Generator<{ readonly text: number } & Span> {
  for (let place = partAt(parts, span.start, 0); place < parts.length; place++) {
    const part = parts[place]
    if (part === undefined || part.start >= span.end) return
    const start = Math.max(span.start, part.start)
    const end = Math.min(span.end, part.end)
    if (end > start) yield { text: part.text, start: start - part.start, end: end - part.start }
  }
}
