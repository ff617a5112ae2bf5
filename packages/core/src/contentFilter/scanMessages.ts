/**
 * Applies the content filters of a request to its messages: what was found, what stands in the way, and the messages as they may
 * be sent on.
 *
 * Source: decisions 5; public API 4.1; docs/enforcement.md. Past the deadline, and without an answer of the detector, filters
 * that block or redact refuse the request, and those that flag are recorded with a count of 0.
 */
import type { AdmissionReason, ChatMessage, ChatRole, Finding } from "@gatewarden/contract"
import { Context, Effect } from "effect"
import type { Refusal } from "../enforcement/denial.ts"
import type { Objection } from "../enforcement/judgeCandidate.ts"
import type { CompiledFilter, CompiledFilters } from "./CompiledFilters.ts"
import { inSlices } from "./inSlices.ts"
import { type Detection, type DetectedKind, Detector } from "./Detector.ts"
import { mapTexts } from "./mapTexts.ts"
import { makePlaceholders } from "./Placeholders.ts"
import { type LabelledSpan, redactText } from "./redactText.ts"
import type { Restorer } from "./Restorer.ts"
import type { Hit } from "./ScanJob.ts"
import { TextScanner } from "./TextScanner.ts"

export interface ContentFilterLimits {
  /** What the search for builtins and patterns may take for one request. */
  readonly budget_millis: number
  /** What the detector may take for one request. */
  readonly detector_millis: number
}

export const ContentFilterSettings = Context.Reference<ContentFilterLimits>("gatewarden/ContentFilterSettings", {
  defaultValue: () => ({ budget_millis: 1_000, detector_millis: 5_000 })
})

export interface ScannedMessages {
  /** After redaction; the same object where nothing was redacted, none where there are objections: nothing may be sent. */
  readonly messages: readonly ChatMessage[]
  readonly findings: readonly Finding[]
  readonly objections: readonly Objection[]
  /** What to answer, when there are objections. */
  readonly refusal?: Refusal
  /** Undoes the redaction in what comes back; only when that was asked for and something was redacted. */
  readonly restore?: Restorer
}

/** Why a filter could not be applied. */
type Failure = "timeout" | "detector_unavailable"

type Found = Pick<Hit, "start" | "end" | "text" | "name">

interface Outcome {
  readonly filter: CompiledFilter
  readonly found: readonly Found[]
  readonly failure: Failure | undefined
}

const detectorConcurrency = 4

/** What the detector finds in the texts; undefined when it fails, or does not answer in time, for any of them. */
const detectIn = Effect.fnUntraced(function* (texts: readonly string[], kinds: readonly DetectedKind[]) {
  if (kinds.length === 0) return []
  const detector = yield* Detector
  if (detector === undefined) return undefined
  const { detector_millis } = yield* ContentFilterSettings
  const detected = yield* Effect.forEach(
    texts,
    (text, index) =>
      /\p{L}/u.test(text)
        ? Effect.map(detector.detect(text, kinds), (found) => found.map((one) => ({ ...one, text: index })))
        : Effect.succeed([]),
    { concurrency: detectorConcurrency }
  ).pipe(
    Effect.catchTag("DetectorFailed", () => Effect.succeed(undefined)),
    Effect.timeoutOrElse({ duration: detector_millis, orElse: () => Effect.succeed(undefined) })
  )
  return detected?.flat()
})

/** Windows overlap, and a text may be found in more than one reading: only what has a name is found twice. */
const distinct = (found: readonly Found[]): readonly Found[] =>
  found.some(({ name }) => name !== undefined)
    ? [...new Map(found.map((one) => [`${one.text} ${one.start} ${one.end} ${one.name}`, one])).values()]
    : found

const objectionsOf = ({ filter, failure }: Outcome): readonly Objection[] =>
  filter.scopes.map((scope) => {
    const same = JSON.stringify(filter.entry)
    const left = filter.entries.filter((entry) => JSON.stringify(entry) !== same)
    const at = { scope, guardrail_id: filter.guardrail_id }
    const reason: AdmissionReason = {
      ...at,
      field: filter.field,
      value: failure === undefined ? filter.entry : { ...filter.entry, failure }
    }
    return { reason, edit: { ...at, field: filter.list, from: filter.entries, to: left.length === 0 ? null : left } }
  })

const refusalOf = ({ filter, found, failure }: Outcome): Refusal => {
  if (failure !== undefined)
    return {
      status: 403,
      message: "Request blocked: a content filter could not be applied",
      metadata: { filter: filter.filter, reason: failure }
    }
  const patterns = [...new Set(found.flatMap(({ name }) => (name === undefined ? [] : [name])))]
  return {
    status: 403,
    message: filter.refusal,
    ...(patterns.length === 0 ? {} : { metadata: { patterns } })
  }
}

export const scanMessages = Effect.fnUntraced(function* (
  { filters, sought, detected }: CompiledFilters,
  messages: readonly ChatMessage[],
  options: { readonly reversible: boolean }
) {
  if (filters.length === 0 || messages.length === 0)
    return { messages, findings: [], objections: [] } satisfies ScannedMessages as ScannedMessages
  const texts: string[] = []
  const roles: ChatRole[] = []
  mapTexts(messages, (text, role) => {
    texts.push(text)
    roles.push(role)
    return text
  })
  const { budget_millis } = yield* ContentFilterSettings
  const scanner = yield* TextScanner
  const [{ hits, unfinished }, detections] = yield* Effect.all(
    [
      sought.length === 0
        ? Effect.succeed({ hits: [], unfinished: [] })
        : scanner.scan({ sought, texts, budgetMillis: budget_millis }),
      detectIn(texts, detected)
    ],
    { concurrency: 2 }
  )
  const bySought = new Map<number, Hit[]>()
  for (const hit of hits) {
    const others = bySought.get(hit.sought)
    if (others === undefined) bySought.set(hit.sought, [hit])
    else others.push(hit)
  }
  const outcomes = filters.map((filter): Outcome => {
    const { finds } = filter
    const all: readonly (Hit | (Detection & { readonly text: number }))[] =
      finds.by === "scan"
        ? (bySought.get(finds.sought) ?? [])
        : (detections ?? []).filter(({ kind }) => kind === finds.kind)
    const known = distinct(all)
    const found = filter.user_only ? known.filter(({ text }) => roles[text] === "user") : known
    if (finds.by === "scan")
      return { filter, found, failure: unfinished.includes(finds.sought) ? "timeout" : undefined }
    return { filter, found, failure: detections === undefined ? "detector_unavailable" : undefined }
  })
  const blocking = outcomes.filter(
    ({ filter: { action }, found, failure }) =>
      (action === "block" && found.length > 0) || (action !== "flag" && failure !== undefined)
  )
  // What was found says more than what could not be looked for.
  const first = blocking.find(({ filter, found }) => filter.action === "block" && found.length > 0) ?? blocking[0]
  const spans = new Map<number, LabelledSpan[]>()
  for (const { filter, found } of outcomes)
    if (filter.action === "redact")
      for (const { text, start, end } of found) {
        const cut = spans.get(text) ?? []
        cut.push({ start, end, label: filter.label })
        spans.set(text, cut)
      }
  const isRefused = blocking.length > 0
  const placeholders =
    options.reversible && spans.size > 0 && !isRefused ? makePlaceholders(JSON.stringify(messages)) : undefined
  const redacted = new Map<number, string>()
  if (!isRefused)
    for (const [place, cut] of spans)
      redacted.set(place, yield* inSlices(redactText(texts[place] ?? "", cut, placeholders?.of)))
  let index = 0
  const restore = placeholders?.restorer()
  const scanned: ScannedMessages = {
    messages: isRefused
      ? []
      : spans.size === 0
        ? messages
        : mapTexts(messages, (text) => redacted.get(index++) ?? text),
    findings: outcomes
      .filter(({ filter, found, failure }) => found.length > 0 || (filter.action === "flag" && failure !== undefined))
      .map(({ filter: { guardrail_id, filter, action }, found }) => ({
        guardrail_id,
        filter,
        action,
        count: found.length
      })),
    objections: blocking.flatMap(objectionsOf),
    ...(first === undefined
      ? {}
      : {
          refusal: refusalOf(
            first.found.length > 0 && first.filter.action === "block" ? { ...first, failure: undefined } : first
          )
        }),
    ...(restore === undefined ? {} : { restore })
  }
  return scanned
})
