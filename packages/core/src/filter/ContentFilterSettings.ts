import { Context, Effect } from "effect"
import { type Step, inSlices } from "../value/inSlices.ts"
import { type DetectedKind, Detector } from "./Detector.ts"
import { wholeTexts } from "./ScanJob.ts"
import { type Passages, inPassage } from "./passages.ts"
import type { Reading } from "./readings/Reading.ts"
import { mixesScripts, normalisedReadings } from "./readings/normalisedReadings.ts"

export interface ContentFilterLimits {
  /** What the search for builtins and patterns may take for one request. */
  readonly budget_millis: number
  /** The time limit of the detector for one request. */
  readonly detector_millis: number
}

export const ContentFilterSettings = Context.Reference<ContentFilterLimits>("gatewarden/ContentFilterSettings", {
  defaultValue: () => ({ budget_millis: 1_000, detector_millis: 5_000 })
})

const concurrency = 4

interface Asked extends Reading {
  readonly view: number
}

/** Parts of one content are sent together. Letters of other scripts are kept, except within words of ASCII. */
function* readingsToAsk({ views, passages }: Passages): Generator<Step, readonly Asked[]> {
  const asked: Asked[] = []
  const texts = yield* wholeTexts(views.map(({ text }) => text))
  for (const [view, { part, passage }] of views.entries()) {
    const text = texts[view] ?? ""
    const { isToken = false } = passages[passage] ?? {}
    if (part !== undefined || isToken || !/\p{L}/u.test(text)) continue
    const { composed, folded } = yield* normalisedReadings(text)
    asked.push({ view, ...composed })
    if (folded !== undefined && mixesScripts(composed.text)) asked.push({ view, ...folded })
    yield
  }
  return asked
}

/**
 * Calls the detector for the passages of a request, in their normalised form.
 *
 * The detector's findings, by passage; undefined if it fails, or does not answer in time, for any of them.
 */
export const detectIn = Effect.fnUntraced(function* (passages: Passages, kinds: readonly DetectedKind[]) {
  if (kinds.length === 0) return []
  const detector = yield* Detector
  if (detector === undefined) return undefined
  const { detector_millis } = yield* ContentFilterSettings
  const asked = yield* inSlices(readingsToAsk(passages))
  const detected = yield* Effect.forEach(
    asked,
    ({ view, text, origin }) =>
      Effect.map(detector.detect(text, kinds), (found) =>
        found.flatMap((one) => {
          const place = inPassage(passages, view, { ...one, ...origin(one) })
          return place === undefined ? [] : [{ ...place, text: passages.views[view]?.passage ?? 0 }]
        })
      ),
    { concurrency }
  ).pipe(
    Effect.catchTag("DetectorFailed", () => Effect.succeed(undefined)),
    Effect.timeoutOrElse({ duration: detector_millis, orElse: () => Effect.succeed(undefined) })
  )
  return detected?.flat()
})
