/**
 * Applies the content filters of a request to everything that a model would see: returns findings, objections, and the redacted request.
 *
 * Rule: content-filters#actions, content-filters#what-filters-see, content-filters#unfinished-scans. After the deadline, or without an answer of the detector,
 * filters that block or redact refuse the request, and those that flag are recorded with a count of 0.
 */
import type { AdmissionReason, ChatMessage, Finding } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import { type Objection, type Refusal, refusalWith } from "../value/issues.ts"
import type { Fields } from "../request/modelInput.ts"
import type { CompiledFilters, UnscannableRule } from "./CompiledFilters.ts"
import { ContentFilterSettings, detectIn } from "./ContentFilterSettings.ts"
import { inMeasuredSlices, inSlices } from "../value/inSlices.ts"
import { type Outcome, outcomesOf } from "./outcomesOf.ts"
import { inPassages, type Passages, passagesOf, uniteFound } from "./passages.ts"
import { type Prompt, PromptTexts } from "./prompt/PromptTexts.ts"
import { redactPrompt } from "./redactPrompt.ts"
import type { Restorer } from "./prompt/Restorer.ts"
import { TextScanner } from "./TextScanner.ts"

export interface ScannedMessages extends Prompt {
  /** The messages after redaction; the same object if nothing was redacted; none if there are objections, because nothing may be sent. */
  readonly messages: readonly ChatMessage[]
  /** The other fields that are sent to a model, likewise. */
  readonly fields: Fields
  /** The request as it would be sent without objections; used only for its size. */
  readonly unhindered: Effect.Effect<Prompt>
  readonly findings: readonly Finding[]
  readonly objections: readonly Objection[]
  /** The answer, if there are objections. */
  readonly refusal?: Refusal
  /** Restores redacted values in the response; only if requested and if something was redacted. */
  readonly restore?: Restorer
}

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
    return refusalWith(403, "content_filter_failed", "Request blocked: a content filter could not be applied", {
      filter: filter.filter,
      failure
    })
  const patterns = [...new Set(found.flatMap(({ name }) => (name === undefined ? [] : [name])))]
  return refusalWith(403, "content_blocked", filter.refusal, patterns.length === 0 ? undefined : { patterns })
}

/** Whether a finding refuses the request. `redact` does so in the URL of an image or a file: redacted, it would name other content. */
const refuses = ({ passages }: Passages, { filter: { action }, found }: Outcome): boolean =>
  action === "block" ? found.length > 0 : action === "redact" && found.some(({ text }) => passages[text]?.isAddress)

const unscannedObjections = ({ guardrail_id, scopes }: UnscannableRule): readonly Objection[] =>
  scopes.map((scope) => {
    const at = { scope, guardrail_id, field: "content_filter_unscannable" }
    return { reason: { ...at, value: "block" }, edit: { ...at, from: "block", to: "allow" } }
  })

const unscannedRefusal = (types: readonly string[]): Refusal =>
  refusalWith(403, "content_unscannable", "Request blocked: content filters cannot look into a part of it", {
    filter: "unscanned",
    parts: [...new Set(types)].slice(0, 20)
  })

const unfiltered = (prompt: Prompt): ScannedMessages => ({
  ...prompt,
  unhindered: Effect.succeed(prompt),
  findings: [],
  objections: []
})

// What follows each other without a pause is one generator: each that is run in slices begins with a slice of its own.
function* readPrompt(prompt: Prompt, budgetMillis: number, now: () => number) {
  const end = now() + budgetMillis
  const read = yield* PromptTexts.of(prompt, () => now() > end)
  const passages = yield* passagesOf(read.isWhole ? read.texts : [])
  return { read, passages, leftMillis: Math.max(0, end - now()) }
}

export const scanMessages = Effect.fnUntraced(function* (
  { filters, sought, detected, unscannable }: CompiledFilters,
  messages: readonly ChatMessage[],
  { fields = {}, ...options }: { readonly reversible: boolean; readonly fields?: Fields }
) {
  const prompt: Prompt = { messages, fields }
  if (unscannable.length === 0) return unfiltered(prompt)
  const { budget_millis } = yield* ContentFilterSettings
  const { read, passages, leftMillis } = yield* inMeasuredSlices((now) => readPrompt(prompt, budget_millis, now))
  const scanner = yield* TextScanner
  const texts = passages.views.map(({ text }) => text)
  const [{ hits, unfinished }, detections] = yield* Effect.all(
    [
      sought.length === 0 || !read.isWhole
        ? Effect.succeed({ hits: [], unfinished: [...sought.keys()] })
        : scanner.scan({ sought, texts, budgetMillis: leftMillis }),
      read.isWhole ? detectIn(passages, detected) : Effect.succeed(undefined)
    ],
    { concurrency: 2 }
  )
  const unseen = read.unscanned.length === 0 ? [] : unscannable
  const forbidding = unseen.filter(({ action }) => action === "block")
  const { outcomes, blocking, redact, redaction } = yield* inSlices(
    (function* () {
      const outcomes = yield* outcomesOf(filters, {
        hits: yield* inPassages(passages, hits),
        unfinished,
        detections,
        roles: passages.passages.map(({ role }) => role),
        tokens: passages.passages.map(({ isToken }) => isToken),
        unite: (found) => uniteFound(passages, found)
      })
      const blocking = outcomes.filter(
        (outcome) => refuses(passages, outcome) || (outcome.filter.action !== "flag" && outcome.failure !== undefined)
      )
      const redact = () => redactPrompt(prompt, read, passages, outcomes, options)
      const isRefused = blocking.length > 0 || forbidding.length > 0
      return { outcomes, blocking, redact, redaction: isRefused ? undefined : yield* redact() }
    })()
  )
  // A finding takes precedence over an unfinished search.
  const first = blocking.find((outcome) => refuses(passages, outcome)) ?? blocking[0]
  const restore = redaction?.restore
  const refusal =
    first === undefined
      ? forbidding.length > 0
        ? unscannedRefusal(read.unscanned)
        : undefined
      : refusalOf(refuses(passages, first) ? { ...first, failure: undefined } : first)
  const scanned: ScannedMessages = {
    messages: redaction?.messages ?? [],
    fields: redaction?.fields ?? {},
    unhindered: redaction === undefined ? Effect.suspend(() => inSlices(redact())) : Effect.succeed(redaction),
    findings: [
      ...outcomes
        .filter(({ filter, found, failure }) => found.length > 0 || (filter.action === "flag" && failure !== undefined))
        .map(({ filter: { guardrail_id, filter, action }, found }) => ({
          guardrail_id,
          filter,
          action,
          count: found.length
        })),
      ...unseen.map(({ guardrail_id, action }) => ({
        guardrail_id,
        filter: "unscanned",
        action: action === "block" ? ("block" as const) : ("flag" as const),
        count: read.unscanned.length
      }))
    ],
    objections: [...blocking.flatMap(objectionsOf), ...forbidding.flatMap(unscannedObjections)],
    ...(refusal === undefined ? {} : { refusal }),
    ...(restore === undefined ? {} : { restore })
  }
  return scanned
})
