/**
 * From what the data plane reports to what is recorded: defaults filled in, names resolved, bodies left behind.
 *
 * Source: decisions 8, 9 (names and modalities are resolved at import) and 14.
 */
import {
  type Classifiers,
  type CostComponent,
  costComponents,
  type Issue,
  type Reason,
  type SentUsageEvent
} from "@gatewarden/contract"
import { Clock, Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { BadRequest } from "../failure.ts"
import { parseInstant } from "../http/parseInstant.ts"
import { ModelCatalog } from "../model/ModelCatalog.ts"
import { type ResolvedModel, splitVariant } from "../model/resolveModelName.ts"
import { formatInstant } from "../platform/timestamp.ts"
import { resolveWorkspace } from "../workspace/resolveWorkspace.ts"
import { clockToleranceMillis } from "./clockTolerance.ts"
import { contextLengthBucket } from "./contextLengthBucket.ts"
import { parseUsd } from "./money.ts"
import { throughputOf } from "./throughput.ts"
import type { UsageEvent } from "./UsageEvent.ts"
import { UsageLog } from "./UsageLog.ts"

/** A report without the bodies, which are never stored. */
export type ReportedEvent = Omit<SentUsageEvent, "input" | "output">

/** More would tell nothing new. */
const maxIssues = 100

/** Why an event cannot be recorded: the field and what is wrong with it. */
export interface RefusedEvent {
  readonly index: number
  readonly reason: Reason
  readonly issue: Issue
}

/**
 * The events as they are recorded, in the order given; `pathOf` says where the request has the event of an index.
 * Fails with 400 for an instant that is none or too far ahead, and for a workspace that is not the account's.
 */
export const resolveUsageEvents = Effect.fnUntraced(function* (
  caller: Caller,
  events: readonly ReportedEvent[],
  pathOf: (index: number) => string
) {
  const { resolved, refused } = yield* resolveEach(caller, events, maxIssues)
  if (refused.length === 0) return resolved
  return yield* new BadRequest({
    reason: refused.find(({ reason }) => reason !== "invalid_request")?.reason ?? "invalid_request",
    issues: refused.map(({ index, issue }) => ({ ...issue, path: `${pathOf(index)}${issue.path}` }))
  })
})

/**
 * Those that can be recorded, in the order given, and why the others cannot; it stops at so many of the others.
 */
export const resolveEach = Effect.fnUntraced(function* (
  caller: Caller,
  events: readonly ReportedEvent[],
  mostRefused: number
) {
  const now = yield* Clock.currentTimeMillis
  const recorded_at = formatInstant(now)
  const models = yield* (yield* ModelCatalog).resolve(distinct(events.map((event) => event.model)))
  const workspaceOf = yield* workspaceFinder(caller, events)
  const resolved: UsageEvent[] = []
  const refused: RefusedEvent[] = []
  for (const [index, event] of events.entries()) {
    const instant = readInstant(event.created_at, now)
    const workspace = typeof instant === "number" ? yield* workspaceOf(event) : instant
    if (typeof instant === "number" && typeof workspace === "string")
      resolved.push(recordedAs(event, models.get(event.model), { workspace_id: workspace, instant, recorded_at }))
    else if (refused.push({ index, ...(workspace as Refusal) }) >= mostRefused) break
  }
  return { resolved, refused }
})

type Refusal = Pick<RefusedEvent, "reason" | "issue">

type Known = ResolvedModel | undefined

const recordedAs = (
  event: ReportedEvent,
  known: Known,
  at: { readonly workspace_id: string; readonly instant: number; readonly recorded_at: string }
): UsageEvent => {
  const { slug, variant } = known ?? splitVariant(event.model)
  const generation_ms = event.generation_ms ?? null
  return {
    id: event.id,
    workspace_id: at.workspace_id,
    created_at: formatInstant(at.instant),
    recorded_at: at.recorded_at,
    model: slug,
    variant,
    provider: event.provider,
    endpoint_tag: event.endpoint_tag ?? null,
    api_key_hash: event.api_key_hash ?? null,
    user_id: event.user_id ?? null,
    external_user: event.external_user ?? null,
    app: event.app ?? null,
    origin: event.origin ?? null,
    country: event.country ?? null,
    session_id: event.session_id ?? null,
    data_region: event.data_region ?? null,
    status: event.status ?? "ok",
    finish_reason: event.finish_reason ?? null,
    byok: event.byok ?? false,
    guardrail_invoked: event.guardrail_invoked ?? false,
    response_cached: event.response_cached ?? false,
    prompt_tokens: event.prompt_tokens,
    completion_tokens: event.completion_tokens,
    reasoning_tokens: event.reasoning_tokens ?? 0,
    cached_tokens: event.cached_tokens ?? 0,
    tool_calls: event.tool_calls ?? 0,
    context_length_bucket: contextLengthBucket(event.prompt_tokens),
    cost_nanos: nanosOf(event.cost_usd),
    byok_cost_nanos: nanosOf(event.byok_cost_usd),
    cost_components: componentsOf(event.cost_components),
    latency_ms: event.latency_ms ?? null,
    generation_ms,
    throughput: throughputOf(event.completion_tokens, generation_ms),
    input_modalities: event.input_modalities ?? known?.input_modalities ?? null,
    output_modalities: event.output_modalities ?? known?.output_modalities ?? null,
    category: event.category ?? null,
    language_type: event.language_type ?? null,
    sample_weight: event.sample_weight ?? 1,
    classifiers: tagsOf(event.classifiers),
    trace: event.trace ?? null
  }
}

const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)]

const refusal = (reason: Reason, path: string, message: string, code: string = reason): Refusal => ({
  reason,
  issue: { path, code, message }
})

const readInstant = (text: string, now: number): number | Refusal => {
  const millis = parseInstant(text)
  if (millis === undefined)
    return refusal("invalid_request", "created_at", "Expected a UTC timestamp with seconds", "invalid_timestamp")
  return millis <= now + clockToleranceMillis
    ? millis
    : refusal("future_event", "created_at", "Expected an instant at most five minutes ahead")
}

/** The workspace of an event: the named one, else the key's, else the default. Each named one is looked up once. */
const workspaceFinder = Effect.fnUntraced(function* (caller: Caller, events: readonly ReportedEvent[]) {
  const named = new Map<string, string | Refusal>()
  const hashes = distinct(
    events.flatMap(({ workspace_id, api_key_hash }) =>
      workspace_id == null && api_key_hash != null ? [api_key_hash] : []
    )
  )
  const ofKeys =
    hashes.length === 0 ? new Map<string, string>() : yield* (yield* UsageLog).workspacesOf(caller.account_id, hashes)
  return Effect.fnUntraced(function* ({ workspace_id, api_key_hash }: ReportedEvent) {
    if (workspace_id == null) {
      const found = (api_key_hash == null ? undefined : ofKeys.get(api_key_hash)) ?? caller.default_workspace_id
      return (
        found ??
        refusal("default_workspace_deleted", "workspace_id", "The default workspace was deleted; name a workspace")
      )
    }
    const known = named.get(workspace_id)
    if (known !== undefined) return known
    const found = yield* resolveWorkspace(caller, workspace_id, "workspace_id").pipe(
      Effect.catch(({ reason, issues }) =>
        Effect.succeed(refusal(reason, "workspace_id", issues?.[0]?.message ?? "Unknown workspace"))
      )
    )
    named.set(workspace_id, found)
    return found
  })
})

/** Nano-dollars of an amount that the contract has checked; what is absent is nothing. */
const nanosOf = (usd: string | number | null | undefined): bigint => (usd == null ? 0n : (parseUsd(usd) ?? 0n))

const noComponents: UsageEvent["cost_components"] = {}

const componentsOf = (sent: SentUsageEvent["cost_components"]): UsageEvent["cost_components"] => {
  if (sent == null) return noComponents
  const components: Partial<Record<CostComponent, bigint>> = {}
  for (const name of costComponents) if (sent[name] != null) components[name] = nanosOf(sent[name])
  return components
}

const tagsOf = (sent: Classifiers | null | undefined): UsageEvent["classifiers"] => {
  if (sent == null) return null
  const classifiers = Object.entries(sent)
  return classifiers.length === 0
    ? null
    : Object.fromEntries(
        classifiers.map(([id, tags]) => [
          id,
          Object.fromEntries(Object.entries(tags).map(([dimension, tag]) => [dimension, String(tag)]))
        ])
      )
}
