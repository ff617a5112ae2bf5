/**
 * Texts to scan and what to search for, as plain data for another thread. Engines, expressions and prefilters are built where the job
 * runs.
 */
import type { Step } from "../value/inSlices.ts"
import type { ScannedBuiltin } from "./builtins/builtinFinders.ts"
import { type InjectionPattern, injectionPatterns } from "./injection/injectionPatterns.ts"
import type { Span } from "./readings/Reading.ts"

export type Sought =
  | { readonly kind: "builtin"; readonly slug: ScannedBuiltin }
  | { readonly kind: "injection" }
  | { readonly kind: "pattern"; readonly pattern: string }

/** Texts of the job that form one text, by their indices, which precede its own. Long texts are thus not copied to another thread. */
export interface JoinedText {
  readonly of: readonly number[]
  readonly between: "" | "\n" | ":"
}

export interface ScanJob {
  readonly sought: readonly Sought[]
  readonly texts: readonly (string | JoinedText)[]
  /** The time budget, in milliseconds. */
  readonly budgetMillis: number
}

/** `sought` and `text` are indices in the job. */
export interface Hit extends Span {
  readonly sought: number
  readonly text: number
  /** The pattern of prompt injection. */
  readonly name?: InjectionPattern
}

export interface ScanResult {
  readonly hits: readonly Hit[]
  /** The searches that did not finish in time, by index in the job. */
  readonly unfinished: readonly number[]
}

/** A part of a job's texts, sent before the job; with `continues` the last text goes on in the next message. */
export interface ScanTexts {
  readonly texts: ScanJob["texts"]
  readonly continues: boolean
}

/** The maximum UTF-16 code units and texts of one message to another thread; copying them takes less than a millisecond. */
const sentAtOnce = 262_144
const textsAtOnce = 2_000

/** A job as messages to another thread; the last message is the job with its remaining texts. */
export function* messagesOf(job: ScanJob): Generator<ScanTexts | ScanJob, void> {
  let texts: (string | JoinedText)[] = []
  let size = 0
  const part = (continues: boolean): ScanTexts => {
    const sent = { texts, continues }
    texts = []
    size = 0
    return sent
  }
  for (const text of job.texts) {
    let rest = text
    while (typeof rest === "string" && rest.length > sentAtOnce) {
      texts.push(rest.slice(0, sentAtOnce))
      rest = rest.slice(sentAtOnce)
      yield part(true)
    }
    texts.push(rest)
    size += typeof rest === "string" ? rest.length : 0
    if (size >= sentAtOnce || texts.length >= textsAtOnce) yield part(false)
  }
  yield { ...job, texts }
}

/** Reassembles a job from its messages; returns it after the last one. */
export const receivingJobs = (): ((message: ScanTexts | ScanJob) => ScanJob | undefined) => {
  let texts: (string | JoinedText)[] = []
  let begun: string[] = []
  return (message) => {
    const goesOn = "continues" in message && message.continues
    for (const [place, text] of message.texts.entries()) {
      const isUnfinished = goesOn && place === message.texts.length - 1
      if (typeof text !== "string" || (begun.length === 0 && !isUnfinished)) {
        texts.push(text)
        continue
      }
      begun.push(text)
      if (isUnfinished) continue
      texts.push(begun.join(""))
      begun = []
    }
    if (!("sought" in message)) return undefined
    const job = { ...message, texts }
    texts = []
    return job
  }
}

/** UTF-16 code units that are joined in one step. */
const joinedAtOnce = 65_536

/** Every text of a job as one string. In steps. */
export function* wholeTexts(texts: ScanJob["texts"]): Generator<Step, readonly string[]> {
  const whole: string[] = []
  let joined = 0
  for (const text of texts) {
    if (typeof text === "string") {
      whole.push(text)
      continue
    }
    const parts = text.of.map((place) => whole[place] ?? "")
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    joined += length
    if (joined > joinedAtOnce) {
      yield length > joinedAtOnce ? "long" : undefined
      joined = 0
    }
    whole.push(parts.join(text.between))
  }
  return whole
}

/** The length of each text of a job, in UTF-16 code units. */
export const lengthsOf = (texts: ScanJob["texts"]): readonly number[] => {
  const lengths: number[] = []
  for (const text of texts)
    lengths.push(
      typeof text === "string" ? text.length : text.of.reduce((sum, place) => sum + (lengths[place] ?? 0) + 1, 0)
    )
  return lengths
}

/** Hits as a typed array of numbers, which moves between threads without a copy. */
const names = injectionPatterns.map(({ name }) => name)
const width = 5

export const packHits = (hits: readonly Hit[]): Int32Array<ArrayBuffer> => {
  const packed = new Int32Array(hits.length * width)
  let at = 0
  for (const { sought, text, start, end, name } of hits) {
    packed[at++] = sought
    packed[at++] = text
    packed[at++] = start
    packed[at++] = end
    packed[at++] = name === undefined ? -1 : names.indexOf(name)
  }
  return packed
}

export const unpackHits = (packed: Int32Array): readonly Hit[] => {
  const hits: Hit[] = []
  for (let at = 0; at < packed.length; at += width) {
    const name = names[packed[at + 4] ?? -1]
    const hit = {
      sought: packed[at] ?? 0,
      text: packed[at + 1] ?? 0,
      start: packed[at + 2] ?? 0,
      end: packed[at + 3] ?? 0
    }
    hits.push(name === undefined ? hit : { ...hit, name })
  }
  return hits
}
