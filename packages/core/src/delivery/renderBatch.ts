/** Makes the requests of a batch: opens config and bodies, and renders. Rule: observability#delivery, observability#bodies. */
import type { Destination, DestinationType } from "@gatewarden/contract/internal"
import { Clock, Effect, Exit, Redacted } from "effect"
import { openConfig, contextOfConfig } from "../destination/config.ts"
import type { WaitingEvent } from "../ports/deliveries.ts"
import type { StoredDestination } from "../ports/destinations.ts"
import { type Bodies, openBodies, contextOfBodies } from "../prompt/sealBodies.ts"
import type { DeliveredEvent, RenderedRequest, Renderer } from "./rendering/Renderer.ts"
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
export interface OpenedDestination {
  readonly account_id: string
  readonly destination: Destination
  readonly config: Redacted.Redacted<Destination["config"]>
  readonly renderer: AnyRenderer
}

/** `undefined` if this version cannot render for the type, or no key of the keyring decrypts the config. */
export const openDestination = Effect.fnUntraced(function* (
  account_id: string,
  { destination, sealed_config }: StoredDestination
) {
  const renderer = rendererOf(destination.type)
  const config = yield* Effect.exit(openConfig(sealed_config, contextOfConfig(account_id, destination)))
  if (renderer === undefined || Exit.isFailure(config)) return undefined
  return { account_id, destination, config: config.value, renderer } satisfies OpenedDestination
})

const withoutBodies: Bodies = {}

/** An effect for each event costs as much as writing it, so there is one only where bodies are opened. */
const delivering = Effect.fnUntraced(function* (
  { account_id, destination }: OpenedDestination,
  events: readonly WaitingEvent[]
) {
  const delivered: DeliveredEvent[] = []
  for (const { event, api_key_name, sealed_bodies } of events) {
    const context = contextOfBodies(account_id, destination.workspace_id, event.id)
    const { input, output } =
      sealed_bodies === null || destination.privacy_mode
        ? withoutBodies
        : Redacted.value(yield* openBodies(sealed_bodies, context))
    delivered.push({ account_id, event, api_key_name, input, output })
  }
  return delivered
})

/** `"failed"`: the renderer could not make a request of these events. */
export const renderBatch = Effect.fnUntraced(function* (opened: OpenedDestination, events: readonly WaitingEvent[]) {
  const { destination, config, renderer } = opened
  const delivered = yield* delivering(opened, events)
  const include = {
    cost: destination.broadcast_generation_cost,
    identity: destination.broadcast_generation_identity,
    request_context: destination.broadcast_generation_request_context
  }
  const now = yield* Clock.currentTimeMillis
  const rendered = yield* Effect.exit(
    Effect.suspend(() => renderer.render(Redacted.value(config), delivered, include, now))
  )
  return Exit.isSuccess(rendered) ? (rendered.value as readonly RenderedRequest[]) : "failed"
})
