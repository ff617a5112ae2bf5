/** Makes the requests of a batch: opens config and bodies, and renders. Rule: observability#delivery, observability#bodies. */
import type { Destination } from "@gatewarden/contract"
import { Clock, Effect, Exit, Redacted } from "effect"
import type { StoredDestination } from "../ports/destinations.ts"
import { openConfig, placeOfConfig } from "../observability/sealConfig.ts"
import type { WaitingEvent } from "../ports/deliveries.ts"
import type { DeliveredEvent, RenderedRequest, Renderer } from "./rendering/Renderer.ts"
import { renderers } from "./renderers.ts"
import { type Bodies, openBodies, placeOfBodies } from "../prompt/sealBodies.ts"

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
  const config = yield* Effect.exit(openConfig(sealed_config, placeOfConfig(account_id, destination)))
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
    const place = placeOfBodies(account_id, destination.workspace_id, event.id)
    const { input, output } =
      sealed_bodies === null || destination.privacy_mode
        ? withoutBodies
        : Redacted.value(yield* openBodies(sealed_bodies, place))
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
