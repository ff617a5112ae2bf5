/**
 * Makes a renderer of what a platform with an API of its own has of its own: how an event is encoded, and how encoded events become a request.
 *
 * Rule: observability#what-a-platform-receives.
 */
import type { DestinationType } from "@gatewarden/contract/internal"
import { Effect, Redacted } from "effect"
import {
  type ConfigOf,
  type DeliveredEvent,
  type IncludedMetadata,
  type RenderedRequest,
  type Renderer,
  headerText
} from "./Renderer.ts"
import { loopPauses } from "../../value/inSlices.ts"
import type { LeftOut, RequestSpan } from "./RequestSpan.ts"
import { requestSpanOf } from "./spansOf.ts"

/** A request before it carries events, and with headers that may hold any text. */
export interface UnsentRequest {
  readonly method?: "POST" | "PUT"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface BatchPlatform<Type extends DestinationType> {
  readonly type: Type
  readonly limits: Renderer<Type>["limits"]
  /** Encodes one event. What it weighs against the limit is `weight`, by default its bytes and one for what separates it from the next. */
  readonly encode: (config: ConfigOf<Type>, request: RequestSpan) => Uint8Array
  /** Whether the platform takes an event of this encoding at all. */
  readonly takes?: (encoded: Uint8Array) => boolean
  readonly refusal?: NonNullable<Renderer<Type>["refusal"]>
  readonly weight?: (encoded: Uint8Array) => number
  /** `ids` are those of the events, for names that a repeated request has again. Without events it is the connection test's. */
  readonly join: (
    config: ConfigOf<Type>,
    encoded: readonly Uint8Array[],
    ids: readonly string[],
    now: number
  ) => Effect.Effect<UnsentRequest>
  /** By default a request without events. */
  readonly probe?: (config: ConfigOf<Type>, now: number) => Effect.Effect<UnsentRequest>
  readonly judge?: NonNullable<Renderer<Type>["judge"]>
}

interface Encoded {
  readonly id: string
  readonly bytes: Uint8Array
  readonly weight: number
}

/** From an event as it is to one that the platform takes in any case. */
const reductions: readonly LeftOut[] = ["nothing", "bodies", "metadata"]

export const carrying = (
  { method = "POST", url, headers, body }: UnsentRequest,
  events: readonly string[]
): RenderedRequest => ({
  method,
  url,
  headers: Redacted.make(Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, headerText(value)]))),
  body,
  events
})

/** The event's encoding that fits: without its bodies, and without its metadata, where it has to be. */
export const fittedEncoding = Effect.fnUntraced(function* (
  delivered: DeliveredEvent,
  include: IncludedMetadata,
  encode: (request: RequestSpan) => Uint8Array,
  fits: (encoded: Uint8Array) => boolean
) {
  const request = yield* requestSpanOf(delivered, include)
  let bytes: Uint8Array = new Uint8Array()
  for (const leftOut of reductions) {
    bytes = encode(request(leftOut))
    if (fits(bytes)) break
  }
  return bytes
})

export const batchRenderer = <Type extends DestinationType>(platform: BatchPlatform<Type>): Renderer<Type> => {
  const { type, limits, refusal, takes = () => true, weight = (encoded) => encoded.length + 1 } = platform
  return {
    type,
    limits,
    refusal,
    render: Effect.fnUntraced(function* (config, events, include, now) {
      const room = limits.bytes - (yield* platform.join(config, [], [], now)).body.length
      const fits = (encoded: Uint8Array) => takes(encoded) && weight(encoded) <= room
      const batches: Encoded[][] = []
      let size = 0
      const breath = yield* loopPauses
      for (const delivered of events) {
        if (breath.isDue()) yield* breath.pause
        if (refusal?.(delivered, now) !== undefined) continue
        const bytes = yield* fittedEncoding(delivered, include, (request) => platform.encode(config, request), fits)
        const item = { id: delivered.event.id, bytes, weight: weight(bytes) }
        const batch = batches.at(-1)
        if (batch === undefined || batch.length === limits.events || size + item.weight > room) {
          batches.push([item])
          size = item.weight
        } else {
          batch.push(item)
          size += item.weight
        }
      }
      return yield* Effect.forEach(batches, (batch) => {
        const ids = batch.map(({ id }) => id)
        return Effect.map(
          platform.join(
            config,
            batch.map(({ bytes }) => bytes),
            ids,
            now
          ),
          (request) => carrying(request, ids)
        )
      })
    }),
    probe: (config, now) =>
      Effect.map(platform.probe?.(config, now) ?? platform.join(config, [], [], now), (request) =>
        carrying(request, [])
      ),
    ...(platform.judge === undefined ? {} : { judge: platform.judge })
  }
}
