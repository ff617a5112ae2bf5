/**
 * A detector over the HTTP API of Presidio's analyzer: `POST /analyze`.
 *
 * Source: https://microsoft.github.io/presidio/api-docs/api-docs.html (analyzer). Presidio counts code points, we count UTF-16
 * code units. A location takes with it the street line that it directly follows (Rule: content-filters#detectors).
 */
import { Effect } from "effect"
import * as z from "zod"
import { publicFetch } from "../platform/Fetch.ts"
import { sendRequest } from "../platform/sendRequest.ts"
import { withoutTrailingSlashes } from "../value/text.ts"
import { detectedEntities } from "./CompiledFilters.ts"
import { type DetectedKind, type Detection, DetectorFailed, type DetectorFunctions } from "./Detector.ts"
import type { PresidioOptions } from "./PresidioOptions.ts"

const Analysis = z.array(
  z.object({ entity_type: z.string(), start: z.int().min(0), end: z.int().min(0), score: z.number() })
)

const kinds = Object.entries(detectedEntities) as readonly (readonly [DetectedKind, string])[]

/** A house number and the name of a street, with what parts it from the place that follows. */
const streetLine = /(?<![\p{L}\d])\d{1,6}[A-Za-z]?\s(?:[\p{L}\d.'-]{1,30}\s){0,4}[\p{L}\d.'-]{1,30}[,\s]{1,3}$/u
const longestLine = 180

const withStreet = (text: string, start: number): number => {
  const before = text.slice(Math.max(0, start - longestLine), start)
  const line = streetLine.exec(before)
  return line === null ? start : start - before.length + line.index
}

/** Where each code point begins; the last entry is the end. */
const codePointStarts = (text: string): readonly number[] => {
  const starts: number[] = []
  let at = 0
  for (const character of text) {
    starts.push(at)
    at += character.length
  }
  return [...starts, at]
}

const decoded = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

const detectionsOf = (text: string, analysis: z.output<typeof Analysis>): readonly Detection[] | undefined => {
  const starts = codePointStarts(text)
  const detections: Detection[] = []
  for (const { entity_type, start, end } of analysis) {
    const kind = kinds.find(([, entity]) => entity === entity_type)?.[0]
    if (kind === undefined) continue
    const [from, to] = [starts[start], starts[end]]
    if (from === undefined || to === undefined || from >= to) return undefined
    detections.push({ kind, start: kind === "address" ? withStreet(text, from) : from, end: to })
  }
  return detections
}

const utf8 = new TextEncoder()
const maxBytes = 16 * 1024 * 1024

export const presidioDetector = ({
  url,
  fetch = publicFetch,
  headers = {},
  language = "en",
  scoreThreshold = 0.5,
  timeoutMillis = 2_000
}: PresidioOptions): DetectorFunctions => ({
  detect: Effect.fnUntraced(function* (text, wanted) {
    const entities = wanted.map((kind) => detectedEntities[kind])
    const answer = yield* sendRequest(fetch, {
      url: `${withoutTrailingSlashes(url)}/analyze`,
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: utf8.encode(JSON.stringify({ text, language, entities, score_threshold: scoreThreshold })),
      timeoutMillis,
      maxBytes
    }).pipe(Effect.mapError(() => new DetectorFailed()))
    const analysis = Analysis.safeParse(answer.status === 200 ? decoded(answer.body) : undefined)
    const detections = analysis.success ? detectionsOf(text, analysis.data) : undefined
    if (detections === undefined) return yield* new DetectorFailed()
    return detections
  })
})
