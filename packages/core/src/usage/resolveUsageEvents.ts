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
import { BadRequest, invalid } from "../failure.ts"
import { parseInstant } from "../http/parseInstant.ts"
import { ModelCatalog } from "../model/ModelCatalog.ts"
import { splitVariant } from "../model/resolveModelName.ts"
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

/**
 * The events as they are recorded, in the order given; `pathOf` says where the request has the event of an index.
 * Fails with 400 for an instant that is none or too far ahead, and for a workspace that is not the account's.
 */
export const resolveUsageEvents = Effect.fnUntraced(function* (
  caller: Caller,
  events: readonly ReportedEvent[],
  pathOf: (index: number) => string
) {
  const now = yield* Clock.currentTimeMillis
  const instants = yield* readInstants(events, now, pathOf)
  const models = yield* (yield* ModelCatalog).resolve(distinct(events.map((event) => event.model)))
  const workspaces = yield* resolveWorkspaces(caller, events, pathOf)
  const recorded_at = formatInstant(now)
  return events.map((event, index): UsageEvent => {
    const known = models.get(event.model)
    const { slug, variant } = known ?? splitVariant(event.model)
    const generation_ms = event.generation_ms ?? null
    return {
      id: event.id,
      workspace_id: workspaces[index] as string,
      created_at: formatInstant(instants[index] as number),
      recorded_at,
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
  })
})

const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)]

const readInstants = (
  events: readonly ReportedEvent[],
  now: number,
  pathOf: (index: number) => string
): Effect.Effect<readonly number[], BadRequest> => {
  let reason: Reason = "invalid_request"
  const issues: Issue[] = []
  const instants = events.map((event, index) => {
    const millis = parseInstant(event.created_at)
    if (issues.length < maxIssues && (millis === undefined || millis > now + clockToleranceMillis)) {
      const path = `${pathOf(index)}created_at`
      if (millis === undefined)
        issues.push({ path, code: "invalid_timestamp", message: "Expected a UTC timestamp with seconds" })
      else {
        reason = "future_event"
        issues.push({ path, code: reason, message: "Expected an instant at most five minutes ahead" })
      }
    }
    return millis ?? 0
  })
  return issues.length === 0 ? Effect.succeed(instants) : Effect.fail(new BadRequest({ reason, issues }))
}

/** The workspace of each event: the named one, else the key's, else the default. */
const resolveWorkspaces = Effect.fnUntraced(function* (
  caller: Caller,
  events: readonly ReportedEvent[],
  pathOf: (index: number) => string
) {
  const known = new Set<string>()
  const unnamed: string[] = []
  for (const [index, { workspace_id, api_key_hash }] of events.entries()) {
    if (workspace_id != null) {
      if (!known.has(workspace_id))
        known.add(yield* resolveWorkspace(caller, workspace_id, `${pathOf(index)}workspace_id`))
    } else if (api_key_hash != null) unnamed.push(api_key_hash)
  }
  const hashes = distinct(unnamed)
  const ofKeys =
    hashes.length === 0 ? new Map<string, string>() : yield* (yield* UsageLog).workspacesOf(caller.account_id, hashes)
  const workspaces: string[] = []
  for (const [index, { workspace_id, api_key_hash }] of events.entries()) {
    const found =
      workspace_id ?? (api_key_hash == null ? undefined : ofKeys.get(api_key_hash)) ?? caller.default_workspace_id
    if (found === null)
      return yield* invalid(
        "default_workspace_deleted",
        `${pathOf(index)}workspace_id`,
        "The default workspace was deleted; name a workspace"
      )
    workspaces.push(found)
  }
  return workspaces
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
