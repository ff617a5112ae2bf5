/**
 * Applies the content filters of a request to everything that a model would see: returns findings, objections, and the redacted request.
 *
 * Rule: content-filters#actions, content-filters#what-filters-see, content-filters#unscannable-parts, content-filters#unfinished-scans.
 * After the deadline, or without an answer of the detector, filters that block or redact refuse the request, and those that flag are
 * recorded with a count of 0.
 */
import type { AdmissionReason, ChatMessage, Finding } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import { type Objection, type Refusal, refusalWith, removing } from "../value/issues.ts"
import type { Fields } from "../request/requestFields.ts"
import type { CompiledFilters, UnscannableRule } from "./CompiledFilters.ts"
import { inSlices } from "../value/inSlices.ts"
import type { Outcome } from "./outcomesOf.ts"
import type { Passages } from "./passages.ts"
import type { Prompt } from "./prompt/PromptTexts.ts"
import { redactPrompt } from "./redactPrompt.ts"
import type { Restorer } from "./prompt/Restorer.ts"
import { nothingMore, outcomesIn, searchPrompt, searchRedacted } from "./searchPrompt.ts"

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
    const same = filter.entries.filter((entry) => isSame(entry, filter.entry))
    const at = { scope, guardrail_id: filter.guardrail_id }
    const reason: AdmissionReason = {
      ...at,
      field: filter.field,
      value: failure === undefined ? filter.entry : { ...filter.entry, failure }
    }
    return { reason, edit: { ...at, field: filter.list, from: filter.entries, ...removing(same) } }
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

/**
 * Whether a finding refuses the request. `redact` does so in the URL of an image or a file, and in the name of a field: redacted, it would
 * name other content.
 */
const refuses = ({ passages }: Passages, { filter: { action }, found }: Outcome): boolean =>
  action === "block" ? found.length > 0 : action === "redact" && found.some(({ text }) => passages[text]?.isAddress)

interface Refusing {
  readonly outcome: Outcome
  /** Whether for a finding; otherwise because the search is unfinished. */
  readonly isFound: boolean
}

const refusingOf = (outcomes: readonly Outcome[], isFinding: (outcome: Outcome) => boolean): readonly Refusing[] =>
  outcomes
    .map((outcome) => ({ outcome, isFound: isFinding(outcome) }))
    .filter(
      ({ outcome: { filter, failure }, isFound }) => isFound || (filter.action !== "flag" && failure !== undefined)
    )

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

export const scanMessages = Effect.fnUntraced(function* (
  compiled: CompiledFilters,
  messages: readonly ChatMessage[],
  { fields = {}, ...options }: { readonly reversible: boolean; readonly fields?: Fields }
) {
  const { filters, unscannable } = compiled
  const prompt: Prompt = { messages, fields }
  if (unscannable.length === 0) return unfiltered(prompt)
  const seen = yield* searchPrompt(compiled, prompt)
  const { read, passages } = seen
  const isForbidden = read.unscanned.length > 0 && unscannable.some(({ action }) => action === "block")
  const { outcomes, refusing, redact, redaction } = yield* inSlices(
    (function* () {
      const outcomes = yield* outcomesIn(filters, seen)
      const refusing = refusingOf(outcomes, (outcome) => refuses(passages, outcome))
      const redact = () => redactPrompt(prompt, read, passages, outcomes, options)
      const isRefused = refusing.length > 0 || isForbidden
      return { outcomes, refusing, redact, redaction: isRefused ? undefined : yield* redact() }
    })()
  )
  const again = redaction === undefined ? nothingMore : yield* searchRedacted(compiled, prompt, redaction, outcomes)
  const all = [...refusing, ...refusingOf(again.outcomes, ({ found }) => found.length > 0)]
  const unscanned = again.unscanned.length > read.unscanned.length ? again.unscanned : read.unscanned
  const unseen = unscanned.length === 0 ? [] : unscannable
  const forbidding = unseen.filter(({ action }) => action === "block")
  // A finding takes precedence over an unfinished search.
  const first = all.find(({ isFound }) => isFound) ?? all[0]
  const refusal =
    first === undefined
      ? forbidding.length > 0
        ? unscannedRefusal(unscanned)
        : undefined
      : refusalOf(first.isFound ? { ...first.outcome, failure: undefined } : first.outcome)
  const sent = refusal === undefined ? redaction : undefined
  const restore = sent?.restore
  const countOf = ({ filter: { entry }, found }: Outcome): number =>
    found.length + (again.outcomes.find(({ filter }) => filter.entry === entry)?.found.length ?? 0)
  const scanned: ScannedMessages = {
    messages: sent?.messages ?? [],
    fields: sent?.fields ?? {},
    unhindered: redaction === undefined ? Effect.suspend(() => inSlices(redact())) : Effect.succeed(redaction),
    findings: [
      ...outcomes
        .map((outcome) => ({ ...outcome, count: countOf(outcome) }))
        .filter(({ filter, count, failure }) => count > 0 || (filter.action === "flag" && failure !== undefined))
        .map(({ filter: { guardrail_id, filter, action }, count }) => ({ guardrail_id, filter, action, count })),
      ...unseen.map(({ guardrail_id, action }) => ({
        guardrail_id,
        filter: "unscanned",
        action: action === "block" ? ("block" as const) : ("flag" as const),
        count: unscanned.length
      }))
    ],
    objections: [...all.flatMap(({ outcome }) => objectionsOf(outcome)), ...forbidding.flatMap(unscannedObjections)],
    ...(refusal === undefined ? {} : { refusal }),
    ...(restore === undefined ? {} : { restore })
  }
  return scanned
})
