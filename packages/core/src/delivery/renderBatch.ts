/** Makes the requests of a batch: opens config and bodies, and renders. Rule: observability#delivery, observability#bodies. */
import type { Destination, DestinationType } from "@gatewarden/contract/internal"
import { Clock, Effect, Exit, Redacted } from "effect"
import { openConfig, contextOfConfig } from "../destination/config.ts"
import type { WaitingEvent } from "../ports/deliveries.ts"
import type { StoredDestination } from "../ports/destinations.ts"
import { type Bodies, openBodies, contextOfBodies } from "../prompt/sealBodies.ts"
import type { UsageEvent } from "../ports/usage.ts"
import type { DeliveredEvent, IncludedMetadata, RenderedRequest, Renderer } from "./rendering/Renderer.ts"
import { arize } from "./types/arize.ts"
import { braintrust } from "./types/braintrust.ts"
import { clickhouse } from "./types/clickhouse.ts"
import { datadog } from "./types/datadog.ts"
import { langfuse } from "./types/langfuse.ts"
import { langsmith } from "./types/langsmith.ts"
import { opik } from "./types/opik.ts"
import { grafana, newrelic, otelCollector, ramp } from "./types/otlpTypes.ts"
import { posthog } from "./types/posthog.ts"
import { s3 } from "./types/s3.ts"
import { sentry } from "./types/sentry.ts"
import { snowflake } from "./types/snowflake.ts"
import { weave } from "./types/weave.ts"
import { webhook } from "./types/webhook.ts"

/**
 * The renderer of each destination type. A type without one does not compile.
 *
 * Rule: observability#delivery.
 */
export const renderers: { readonly [Type in DestinationType]: Renderer<Type> } = {
  arize,
  braintrust,
  clickhouse,
  datadog,
  grafana,
  langfuse,
  langsmith,
  newrelic,
  opik,
  "otel-collector": otelCollector,
  posthog,
  ramp,
  s3,
  sentry,
  snowflake,
  weave,
  webhook
}

/** The renderer of a type, for the config that its row holds. */
export type AnyRenderer = Renderer<Destination["type"]>

export const rendererOf = (type: Destination["type"]): AnyRenderer | undefined =>
  renderers[type] as AnyRenderer | undefined

/** A destination, ready to be sent to. */
export interface OpenedDestination extends Pick<StoredDestination, "destination" | "receives_since"> {
  readonly account_id: string
  readonly config: Redacted.Redacted<Destination["config"]>
  readonly renderer: AnyRenderer
}

/** `undefined` if this version cannot render for the type, or no key of the keyring decrypts the config. */
export const openDestination = Effect.fnUntraced(function* (
  account_id: string,
  { destination, sealed_config, receives_since }: StoredDestination
) {
  const renderer = rendererOf(destination.type)
  const config = yield* Effect.exit(openConfig(sealed_config, contextOfConfig(account_id, destination)))
  if (renderer === undefined || Exit.isFailure(config)) return undefined
  return { account_id, destination, receives_since, config: config.value, renderer } satisfies OpenedDestination
})

/** Whether an event was recorded since the destination is allowed a part of it. A replay does not make it younger. */
const isSince = (since: number | undefined, { recorded_at }: UsageEvent): boolean =>
  since === undefined || Date.parse(recorded_at) > since

/** Whether a destination may receive the bodies of an event, or keep them with its dead letter. */
export const receivesBodies = (
  { destination, receives_since }: Pick<StoredDestination, "destination" | "receives_since">,
  event: UsageEvent
): boolean => !destination.privacy_mode && isSince(receives_since.bodies, event)

const includedOf = ({ destination, receives_since }: OpenedDestination, event: UsageEvent): IncludedMetadata => ({
  cost: destination.broadcast_generation_cost && isSince(receives_since.cost, event),
  identity: destination.broadcast_generation_identity && isSince(receives_since.identity, event),
  request_context: destination.broadcast_generation_request_context && isSince(receives_since.request_context, event)
})

const isSame = (a: IncludedMetadata, b: IncludedMetadata): boolean =>
  a.cost === b.cost && a.identity === b.identity && a.request_context === b.request_context

/** Events that follow each other and of which the destination receives the same groups: nearly always all of a batch. */
const alikeOf = (opened: OpenedDestination, delivered: readonly DeliveredEvent[]) => {
  const runs: { readonly include: IncludedMetadata; readonly events: DeliveredEvent[] }[] = []
  for (const one of delivered) {
    const include = includedOf(opened, one.event)
    const last = runs.at(-1)
    if (last !== undefined && isSame(last.include, include)) last.events.push(one)
    else runs.push({ include, events: [one] })
  }
  return runs
}

const withoutBodies: Bodies = {}

/** An effect for each event costs as much as writing it, so there is one only where bodies are opened. */
const delivering = Effect.fnUntraced(function* (opened: OpenedDestination, events: readonly WaitingEvent[]) {
  const { account_id, destination } = opened
  const delivered: DeliveredEvent[] = []
  for (const { event, api_key_name, sealed_bodies } of events) {
    const context = contextOfBodies(account_id, destination.workspace_id, event.id)
    const { input, output } =
      sealed_bodies === null || !receivesBodies(opened, event)
        ? withoutBodies
        : Redacted.value(yield* openBodies(sealed_bodies, context))
    delivered.push({ account_id, event, api_key_name, input, output })
  }
  return delivered
})

/** `"failed"`: the renderer could not make a request of these events. */
export const renderBatch = Effect.fnUntraced(function* (opened: OpenedDestination, events: readonly WaitingEvent[]) {
  const { config, renderer } = opened
  const runs = alikeOf(opened, yield* delivering(opened, events))
  const now = yield* Clock.currentTimeMillis
  const rendered = yield* Effect.exit(
    Effect.forEach(runs, (run) =>
      Effect.suspend(() => renderer.render(Redacted.value(config), run.events, run.include, now))
    )
  )
  return Exit.isSuccess(rendered) ? (rendered.value.flat() as readonly RenderedRequest[]) : "failed"
})
