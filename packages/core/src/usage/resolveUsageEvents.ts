/**
 * Turns reported events into recorded ones: fills in defaults, resolves names, leaves bodies behind.
 *
 * Rule: usage#resolved-names.
 */
import {
  type Classifiers,
  type CostComponent,
  costComponents,
  type SentUsageEvent
} from "@gatewarden/contract/internal"
import { Clock, Effect } from "effect"
import { type Caller, reachesWorkspace } from "../access/Caller.ts"
import { loopPauses } from "../value/inSlices.ts"
import { BadRequest } from "../value/failure.ts"
import { ModelCatalog } from "../ports/models.ts"
import { type ResolvedModel, splitVariant } from "../catalog/modelNames.ts"
import { clockToleranceMillis, formatInstant } from "../value/calendar.ts"
import {
  type ContextLengthBucket,
  type ReportedEvent,
  type UsageEvent,
  UsageLog,
  tagsOfTrace,
  traceTags
} from "../ports/usage.ts"
import { parseUsd } from "../value/money.ts"
import { type EventPlace, type Refusal, type RefusedEvent, placesOfEvents, refusal } from "./placesOfEvents.ts"

/** Microseconds: three decimals of a millisecond (Rule: usage#times). */
const roundedMillis = (millis: number | null | undefined): number | null =>
  millis == null ? null : Number(millis.toFixed(3))

/** Completion tokens a second; `null` when the time is absent or 0 (Rule: analytics#metrics). */
const throughputOf = (completion_tokens: number, generation_ms: number | null): number | null =>
  generation_ms === null || generation_ms === 0 ? null : (completion_tokens * 1000) / generation_ms

/** More would tell nothing new. */
const maxIssues = 100

/** A recorded event with its account, and the report that it was made of, which alone has the bodies. */
export interface ResolvedEvent {
  readonly account_id: string
  readonly event: UsageEvent
  readonly reported: ReportedEvent
}

/** The recorded form of model names, by name; unknown names are absent. */
export type ResolvedModels = ReadonlyMap<string, ResolvedModel>

/**
 * Resolves events, in the order given. `pathOf`: the path in the request of the event with an index. `known`: models that were looked up
 * already. Fails with 400 for an instant that is too far ahead, a workspace of another account, and an account in which the
 * caller may not act.
 */
export const resolveUsageEvents = Effect.fnUntraced(function* (
  caller: Caller,
  events: readonly ReportedEvent[],
  pathOf: (index: number) => string,
  known?: ResolvedModels
) {
  const { resolved, refused } = yield* resolveEach(caller, events, maxIssues, known)
  if (refused.length === 0) return resolved
  return yield* new BadRequest({
    reason: refused.find(({ reason }) => reason !== "invalid_request")?.reason ?? "invalid_request",
    issues: refused.map(({ index, issue }) => ({ ...issue, path: `${pathOf(index)}${issue.path}` }))
  })
})

/**
 * Resolves the valid events, in the order given, and returns the reasons for the others; stops after a maximum number of invalid events.
 */
export const resolveEach = Effect.fnUntraced(function* (
  caller: Caller,
  events: readonly ReportedEvent[],
  mostRefused: number,
  known?: ResolvedModels
) {
  const now = yield* Clock.currentTimeMillis
  const recorded_at = formatInstant(now)
  const placeOf = yield* placesOfEvents(caller, events)
  const modelsOf = yield* modelFinder(events)
  const requestOf = yield* requestFinder(caller, events)
  const resolveOne = Effect.fnUntraced(function* (event: ReportedEvent) {
    const instant = readInstant(event.created_at, now)
    if (typeof instant !== "number") return instant
    const place = yield* placeOf(event)
    if ("issue" in place) return place
    const at = { instant, recorded_at, self_reported: !caller.is_operator, ...place }
    const recorded = recordedAs(event, (known ?? (yield* modelsOf(place.account_id))).get(event.model), at)
    const own: ResolvedEvent = { account_id: place.account_id, reported: event, event: recorded }
    if (event.adjusts == null) return own
    const request = yield* requestOf(place, event.adjusts)
    return "issue" in request ? request : { ...own, event: adjustmentOf(recorded, request) }
  })
  const resolved: ResolvedEvent[] = []
  const refused: RefusedEvent[] = []
  const breath = yield* loopPauses
  for (const [index, event] of events.entries()) {
    if (breath.isDue()) yield* breath.pause
    const one = yield* resolveOne(event)
    if (!("issue" in one)) resolved.push(one)
    else if (refused.push({ index, ...one }) >= mostRefused) break
  }
  return { resolved, refused }
})

/** The models of the events' names, as each account sees them. Each account is looked up once. */
const modelFinder = Effect.fnUntraced(function* (events: readonly ReportedEvent[]) {
  const catalog = yield* ModelCatalog
  const names = distinct(events.map((event) => event.model))
  const known = new Map<string, ReadonlyMap<string, ResolvedModel>>()
  return Effect.fnUntraced(function* (account_id: string) {
    const found = known.get(account_id) ?? (yield* catalog.resolve(account_id, names))
    known.set(account_id, found)
    return found
  })
})

/**
 * The requests that events adjust, of each account in one look-up: what is recorded already, and may be reported by the caller.
 *
 * Rule: usage#adjustments.
 */
const requestFinder = Effect.fnUntraced(function* (caller: Caller, events: readonly ReportedEvent[]) {
  const log = yield* UsageLog
  const ids = distinct(events.flatMap(({ adjusts }) => adjusts ?? []))
  const known = new Map<string, ReadonlyMap<string, UsageEvent>>()
  return Effect.fnUntraced(function* ({ account_id }: EventPlace, id: string) {
    const found = known.get(account_id) ?? (yield* log.requestsOf(account_id, ids))
    known.set(account_id, found)
    const request = found.get(id)
    return request !== undefined &&
      (caller.is_operator || request.self_reported) &&
      reachesWorkspace(caller, request.workspace_id)
      ? request
      : refusal("invalid_request", "adjusts", "Expected a recorded request that the caller may report", "unknown_event")
  })
})

type Known = ResolvedModel | undefined

interface RecordedAt {
  readonly api_key_hash: string | null
  readonly workspace_id: string
  readonly user_id: string | null
  readonly external_user: string | null
  readonly instant: number
  readonly recorded_at: string
  readonly self_reported: boolean
}

const recordedAs = (event: ReportedEvent, known: Known, at: RecordedAt): UsageEvent => {
  const { slug, variant } = known ?? splitVariant(event.model)
  const generation_ms = roundedMillis(event.generation_ms)
  return {
    id: event.id,
    adjusts: event.adjusts ?? null,
    workspace_id: at.workspace_id,
    created_at: formatInstant(at.instant),
    recorded_at: at.recorded_at,
    model: slug,
    variant,
    provider: event.provider,
    endpoint_tag: event.endpoint_tag ?? null,
    api_key_hash: at.api_key_hash,
    user_id: at.user_id,
    external_user: at.external_user,
    app: event.app ?? null,
    origin: event.origin ?? null,
    app_categories: event.app_categories ?? null,
    country: event.country ?? null,
    session_id: event.session_id ?? null,
    data_region: event.data_region ?? null,
    status: event.status ?? "ok",
    finish_reason: event.finish_reason ?? null,
    byok: event.byok ?? false,
    guardrail_invoked: event.guardrail_invoked ?? false,
    guardrail_id: event.guardrail_id ?? null,
    response_cached: event.response_cached ?? false,
    prompt_tokens: event.prompt_tokens,
    completion_tokens: event.completion_tokens,
    reasoning_tokens: event.reasoning_tokens ?? 0,
    cached_tokens: event.cached_tokens ?? 0,
    cache_write_tokens: event.cache_write_tokens ?? 0,
    tool_calls: event.tool_calls ?? 0,
    context_length_bucket: contextLengthBucket(event.prompt_tokens),
    cost_nanos: nanosOf(event.cost_usd),
    byok_cost_nanos: nanosOf(event.byok_cost_usd),
    cost_components: componentsOf(event.cost_components),
    latency_ms: roundedMillis(event.latency_ms),
    generation_ms,
    throughput: throughputOf(event.completion_tokens, generation_ms),
    input_modalities: event.input_modalities ?? known?.input_modalities ?? null,
    output_modalities: event.output_modalities ?? known?.output_modalities ?? null,
    category: event.category ?? null,
    language_type: event.language_type ?? null,
    sample_weight: event.sample_weight ?? 1,
    classifiers: tagsOf(event.classifiers, tagsOfTrace(event.trace ?? null)),
    trace: event.trace ?? null,
    self_reported: at.self_reported
  }
}

/** An adjustment as it is recorded: its numbers, and all else of the request that it adjusts. */
const adjustmentOf = (stated: UsageEvent, request: UsageEvent): UsageEvent => ({
  ...request,
  id: stated.id,
  adjusts: request.id,
  recorded_at: stated.recorded_at,
  byok: false,
  guardrail_invoked: false,
  response_cached: false,
  latency_ms: null,
  generation_ms: null,
  throughput: null,
  trace: null,
  prompt_tokens: stated.prompt_tokens,
  completion_tokens: stated.completion_tokens,
  reasoning_tokens: stated.reasoning_tokens,
  cached_tokens: stated.cached_tokens,
  cache_write_tokens: stated.cache_write_tokens,
  cost_nanos: stated.cost_nanos,
  byok_cost_nanos: stated.byok_cost_nanos,
  cost_components: stated.cost_components
})

const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)]

const readInstant = (text: string, now: number): number | Refusal => {
  const millis = Date.parse(text)
  return millis <= now + clockToleranceMillis
    ? millis
    : refusal("future_event", "created_at", "Expected an instant at most five minutes ahead")
}

/** Nano-dollars of a valid amount; absent is 0. */
const nanosOf = (usd: string | number | null | undefined): bigint => (usd == null ? 0n : (parseUsd(usd) ?? 0n))

const noComponents: UsageEvent["cost_components"] = {}

const componentsOf = (sent: SentUsageEvent["cost_components"]): UsageEvent["cost_components"] => {
  if (sent == null) return noComponents
  const components: Partial<Record<CostComponent, bigint>> = {}
  for (const name of costComponents) if (sent[name] != null) components[name] = nanosOf(sent[name])
  return components
}

const tagsOf = (sent: Classifiers | null | undefined, ofTrace: readonly string[]): UsageEvent["classifiers"] => {
  const classifiers = Object.entries(sent ?? {}).map(
    ([id, tags]) =>
      [id, Object.fromEntries(Object.entries(tags).map(([dimension, tag]) => [dimension, String(tag)]))] as const
  )
  if (ofTrace.length > 0) classifiers.push([traceTags, Object.fromEntries(ofTrace.map((tag) => [tag, "true"]))])
  return classifiers.length === 0 ? null : Object.fromEntries(classifiers)
}

const bounds = [
  ["1K", 1_000],
  ["10K", 10_000],
  ["100K", 100_000],
  ["1M", 1_000_000]
] as const

export const contextLengthBucket = (prompt_tokens: number): ContextLengthBucket =>
  bounds.find(([, most]) => prompt_tokens <= most)?.[0] ?? "10M"
