/**
 * Scans texts. By default in this thread, in slices between which other work runs; a platform with threads sends long texts, and patterns
 * that are slow to match, to another one.
 *
 * A slice is at most one step longer than its limit; steps are bounded for builtins and for patterns on `re2js`. Only a native engine
 * scans a whole text at once, so a platform with one must keep long texts off this thread.
 */
import { Context, Effect } from "effect"
import { inMeasuredSlices } from "../value/inSlices.ts"
import { PatternEngine } from "./patterns/re2jsEngine.ts"
import { lengthsOf, type ScanJob, type ScanResult } from "./ScanJob.ts"
import { scanTexts } from "./scanTexts.ts"

export interface TextScannerFunctions {
  readonly scan: (job: ScanJob) => Effect.Effect<ScanResult>
}

export const scanInSlices = Effect.fnUntraced(function* (job: ScanJob) {
  const engine = yield* PatternEngine
  return yield* inMeasuredSlices((now) => scanTexts(job, engine, now))
})

/** An upper bound of the instructions of a compiled pattern, computed without compiling it. */
const sizeOf = (pattern: string): number => {
  let size = pattern.length
  for (const [, least, most] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) size *= Math.max(1, Number(most || least))
  return Math.min(size, 10_000)
}

/** The maximum number of readings of a text (`normalisedReadings`). */
const readings = 7
/** A longer text is assumed to have all readings. */
const longestAsked = 65_536
const isPlain = /^[\t-\r\x20-$'-)+-;=-[\]-_a-}]*$/

/**
 * Whether a job is more work than `most`, in instructions times characters: an upper bound of what the first step of every pattern can
 * take together.
 */
export const isMoreWork = ({ sought, texts }: ScanJob, most: number): boolean => {
  const instructions = sought.reduce((sum, one) => sum + (one.kind === "pattern" ? sizeOf(one.pattern) : 1), 0)
  const isMore = (characters: number) => (characters + 100) * instructions > most
  let characters = 0
  for (const [place, length] of lengthsOf(texts).entries()) {
    if (isMore(characters + length)) return true
    const text = texts[place]
    characters += length * (typeof text === "string" && length <= longestAsked && isPlain.test(text) ? 1 : readings)
  }
  return isMore(characters)
}

export const TextScanner = Context.Reference<TextScannerFunctions>("gatewarden/TextScanner", {
  defaultValue: () => ({ scan: scanInSlices })
})
