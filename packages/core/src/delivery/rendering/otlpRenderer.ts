/**
 * Makes a renderer of what an OTLP platform has of its own: address, credentials, encoding, limits and attributes.
 *
 * Rule: observability#what-a-platform-receives.
 */
import type { DestinationType } from "@gatewarden/contract/internal"
import { Effect, Redacted } from "effect"
import { loopPauses } from "../../value/inSlices.ts"
import { type ConfigOf, type Judge, type RenderedRequest, type Renderer, headerText } from "./Renderer.ts"
import type { LeftOut, RequestSpan } from "./RequestSpan.ts"
import { type Attribute, type SpanEncoding, bounded, text } from "./Span.ts"
import { bodyAttributes, genAiAttributes, traceAttributes } from "./genAiAttributes.ts"
import { judgeOtlp } from "./judgeOtlp.ts"
import { requestSpanOf, spansOf } from "./spansOf.ts"

export interface OtlpPlatform<Type extends DestinationType> {
  readonly type: Type
  readonly limits: Renderer<Type>["limits"]
  readonly encoding: SpanEncoding
  readonly address: (config: ConfigOf<Type>) => string
  /** Names in lower case. */
  readonly credentials: (config: ConfigOf<Type>) => Readonly<Record<string, string>>
  readonly method?: (config: ConfigOf<Type>) => "POST" | "PUT"
  /** In addition to `service.name`. */
  readonly resource?: (config: ConfigOf<Type>) => readonly Attribute[]
  /** What the platform calls an attribute of the conventions; `undefined` leaves it out. */
  readonly nameOf?: (key: string) => string | undefined
  /** The platform's own attributes of the model's span. */
  readonly attributes?: (request: RequestSpan) => readonly Attribute[]
  /** Those of the span that `span_name` adds, with the bodies, because a root is what platforms list. The bodies alone if the platform has no others. */
  readonly addedAttributes?: (request: RequestSpan) => readonly Attribute[]
  /** The most characters of a value that the platform keeps. */
  readonly longestValue?: number
  /** Headers of the connection test in addition to the others. */
  readonly probeHeaders?: Readonly<Record<string, string>>
  readonly judge?: Judge
}

/** From an event as it is to one that fits in any case. */
const reductions: readonly LeftOut[] = ["nothing", "bodies", "metadata"]

const scope = { name: "gatewarden" }

/** What is left of an event for which even a request of its own is too small. */
const shortestValue = 256

const named = (attributes: readonly Attribute[], nameOf: ((key: string) => string | undefined) | undefined) =>
  nameOf === undefined
    ? attributes
    : attributes.flatMap(({ key, value }) => {
        const name = nameOf(key)
        return name === undefined ? [] : [{ key: name, value }]
      })

/** A key occurs once in a span; the later one is the platform's own. */
const distinct = (attributes: readonly Attribute[]): readonly Attribute[] => {
  const byKey = new Map<string, Attribute>()
  for (const attribute of attributes) byKey.set(attribute.key, attribute)
  return byKey.size === attributes.length ? attributes : [...byKey.values()]
}

interface EncodedEvent {
  readonly id: string
  readonly spans: readonly Uint8Array[]
  readonly size: number
}

export const otlpRenderer = <Type extends DestinationType>(platform: OtlpPlatform<Type>): Renderer<Type> => {
  const { encoding, limits } = platform

  const resourceOf = (config: ConfigOf<Type>): readonly Attribute[] => [
    text("service.name", "gatewarden"),
    ...(platform.resource?.(config) ?? [])
  ]

  const requestOf = (
    config: ConfigOf<Type>,
    body: Uint8Array,
    events: readonly string[],
    spans: number,
    more: Readonly<Record<string, string>> = {}
  ): RenderedRequest => {
    const headers = { "content-type": encoding.contentType, ...platform.credentials(config), ...more }
    return {
      method: platform.method?.(config) ?? "POST",
      url: platform.address(config),
      headers: Redacted.make(
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, headerText(value)]))
      ),
      body,
      events,
      spans
    }
  }

  const encoded = (request: RequestSpan, longest = platform.longestValue): EncodedEvent => {
    const common = genAiAttributes(request)
    const finished = (attributes: readonly Attribute[], own: readonly Attribute[] = []): readonly Attribute[] => {
      const renamed = named(attributes, platform.nameOf)
      const all = own.length === 0 ? renamed : [...renamed, ...own]
      return distinct(longest === undefined ? all : bounded(all, longest))
    }
    const spans = spansOf(request, finished(common, platform.attributes?.(request)), () =>
      finished(traceAttributes(common), (platform.addedAttributes ?? bodyAttributes)(request))
    ).map(encoding.encode)
    return {
      id: request.delivered.event.id,
      spans,
      size: spans.reduce((size, span) => size + span.length + encoding.overheadOfSpan, 0)
    }
  }

  /** As much of the event as fits into a request of its own. */
  const fitted = (request: (leftOut: LeftOut) => RequestSpan, room: number): EncodedEvent => {
    for (const leftOut of reductions) {
      const event = encoded(request(leftOut))
      if (event.size <= room) return event
    }
    return encoded(request("metadata"), shortestValue)
  }

  return {
    type: platform.type,
    limits,
    render: Effect.fnUntraced(function* (config, events, include) {
      const resource = resourceOf(config)
      const room = limits.bytes - encoding.join(resource, scope, []).length - encoding.overheadOfJoin
      const requests: RenderedRequest[] = []
      let batch: EncodedEvent[] = []
      let size = 0
      const close = () => {
        if (batch.length === 0) return
        const spans = batch.flatMap((event) => event.spans)
        const ids = batch.map(({ id }) => id)
        requests.push(requestOf(config, encoding.join(resource, scope, spans), ids, spans.length))
        batch = []
        size = 0
      }
      const breath = yield* loopPauses
      for (const delivered of events) {
        if (breath.isDue()) yield* breath.pause
        const event = fitted(yield* requestSpanOf(delivered, include), room)
        if (batch.length === limits.events || size + event.size > room) close()
        batch.push(event)
        size += event.size
      }
      close()
      return requests
    }),
    probe: (config) =>
      Effect.sync(() => requestOf(config, encoding.empty(resourceOf(config)), [], 0, platform.probeHeaders)),
    judge: platform.judge ?? judgeOtlp
  }
}
