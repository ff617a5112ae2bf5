import type { DestinationTest } from "@gatewarden/contract"
import { Clock, Effect, Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../failure.ts"
import { Destinations } from "../observability/Destinations.ts"
import { Entropy } from "../platform/Entropy.ts"
import { operation } from "../tracing/operation.ts"
import type { UsageEvent } from "../usage/UsageEvent.ts"
import { formatInstant } from "../value/timestamp.ts"
import { openDestination, type OpenedDestination, renderBatch } from "./renderBatch.ts"
import { answerMillis, type SentAnswer, sendRendered } from "./sendRendered.ts"

/** Says in each field that a platform shows that it is a test. It used nothing and cost nothing. */
const testEvent = (id: string, workspace_id: string, now: number): UsageEvent => ({
  id: `gatewarden-test-${id}`,
  workspace_id,
  created_at: formatInstant(now),
  recorded_at: formatInstant(now),
  model: "gatewarden/test",
  variant: "",
  provider: "gatewarden",
  endpoint_tag: null,
  api_key_hash: null,
  user_id: null,
  external_user: null,
  app: null,
  origin: null,
  app_categories: null,
  country: null,
  session_id: null,
  data_region: null,
  status: "ok",
  finish_reason: null,
  byok: false,
  guardrail_invoked: false,
  response_cached: false,
  prompt_tokens: 0,
  completion_tokens: 0,
  reasoning_tokens: 0,
  cached_tokens: 0,
  tool_calls: 0,
  context_length_bucket: "1K",
  cost_nanos: 0n,
  byok_cost_nanos: 0n,
  cost_components: {},
  latency_ms: null,
  generation_ms: null,
  throughput: null,
  input_modalities: null,
  output_modalities: null,
  category: null,
  language_type: null,
  sample_weight: 1,
  classifiers: null,
  trace: { trace_name: "Gatewarden test event", generation_name: "Gatewarden test event", is_test: true },
  self_reported: true
})

const outcomes: Readonly<Record<SentAnswer["verdict"]["kind"], DestinationTest["outcome"]>> = {
  accepted: "delivered",
  partly: "refused",
  refused: "refused",
  too_large: "refused",
  retry: "failed"
}

const notSent = (message: string): DestinationTest => ({ outcome: "failed", status: null, duration_ms: 0, message })

const sendEvent = Effect.fnUntraced(function* (opened: OpenedDestination, event: UsageEvent, begun: number) {
  const waiting = { position: "", waiting_since: begun, event, api_key_name: null, sealed_bodies: null }
  const requests = yield* renderBatch(opened, [waiting])
  const [request] = requests === "failed" ? [] : requests
  if (request === undefined) return notSent("The event cannot be written in the format of the platform.")
  const { status, verdict, message } = yield* sendRendered({
    type: opened.destination.type,
    config: opened.config,
    request,
    judge: opened.renderer.judge,
    timeoutMillis: answerMillis
  })
  const duration_ms = Math.max(0, Math.round((yield* Clock.currentTimeMillis) - begun))
  return { outcome: outcomes[verdict.kind], status, duration_ms, message: message === "" ? null : message }
})

/** Rule: observability#test-events. */
export const testDestination = operation("testDestination")(function* (caller: Caller, id: string) {
  const found = yield* (yield* Destinations).find(caller.account_id, id)
  if (Option.isNone(found)) return yield* notFound()
  const opened = yield* openDestination(caller.account_id, found.value)
  if (opened === undefined) return notSent("The configuration cannot be used by this server.")
  const begun = yield* Clock.currentTimeMillis
  const event = testEvent((yield* Entropy).uuid(), opened.destination.workspace_id, begun)
  return yield* sendEvent(opened, event, begun)
})
