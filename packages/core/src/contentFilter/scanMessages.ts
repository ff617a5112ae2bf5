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
import type { CompiledFilters } from "./CompiledFilters.ts"
import { inSlices } from "./inSlices.ts"
import { type DetectedKind, Detector } from "./Detector.ts"
import { mapTexts } from "./mapTexts.ts"
import { type Outcome, outcomesOf } from "./outcomesOf.ts"
import { redactMessages } from "./redactMessages.ts"
import type { Restorer } from "./Restorer.ts"
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
  /** What would be sent on if nothing stood in the way: where there are objections, its size is asked for and nothing else. */
  readonly unhindered: Effect.Effect<readonly ChatMessage[]>
  readonly findings: readonly Finding[]
  readonly objections: readonly Objection[]
  /** What to answer, when there are objections. */
  readonly refusal?: Refusal
  /** Undoes the redaction in what comes back; only when that was asked for and something was redacted. */
  readonly restore?: Restorer
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

/** Of one list, so that one has the fields of the other. */
const isSame = (one: object, other: object): boolean => {
  const fields: Readonly<Record<string, unknown>> = { ...other }
  return Object.entries({ ...other, ...one }).every(([field, value]) => fields[field] === value)
}

const objectionsOf = ({ filter, failure }: Outcome): readonly Objection[] =>
  filter.scopes.map((scope) => {
    const left = filter.entries.filter((entry) => !isSame(entry, filter.entry))
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

function* textsOf(messages: readonly ChatMessage[]) {
  const texts: string[] = []
  const roles: ChatRole[] = []
  yield* mapTexts(messages, (text, role) => {
    texts.push(text)
    roles.push(role)
    return text
  })
  return { texts, roles }
}

export const scanMessages = Effect.fnUntraced(function* (
  { filters, sought, detected }: CompiledFilters,
  messages: readonly ChatMessage[],
  options: { readonly reversible: boolean }
) {
  if (filters.length === 0 || messages.length === 0)
    return {
      messages,
      unhindered: Effect.succeed(messages),
      findings: [],
      objections: []
    } satisfies ScannedMessages as ScannedMessages
  const { texts, roles } = yield* inSlices(textsOf(messages))
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
  const outcomes = yield* inSlices(outcomesOf(filters, { hits, unfinished, detections, roles }))
  const blocking = outcomes.filter(
    ({ filter: { action }, found, failure }) =>
      (action === "block" && found.length > 0) || (action !== "flag" && failure !== undefined)
  )
  // What was found says more than what could not be looked for.
  const first = blocking.find(({ filter, found }) => filter.action === "block" && found.length > 0) ?? blocking[0]
  const isRefused = blocking.length > 0
  const redact = Effect.suspend(() => inSlices(redactMessages(messages, texts, outcomes, options)))
  const redaction = isRefused ? undefined : yield* redact
  const restore = redaction?.restore
  const scanned: ScannedMessages = {
    messages: redaction?.messages ?? [],
    unhindered:
      redaction === undefined
        ? Effect.map(redact, (unhindered) => unhindered.messages)
        : Effect.succeed(redaction.messages),
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
