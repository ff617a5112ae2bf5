import { Cause, Context, Exit, Option, Tracer } from "effect"
import type { OpenTelemetry, OpenTelemetryContext, OpenTelemetrySpan, OpenTelemetryTracer } from "./OpenTelemetry.ts"

/** The host's own context, on a parent span that stands for the host's active work. */
export const HostContext = Context.Reference<OpenTelemetryContext | undefined>("gatewarden/HostContext", {
  defaultValue: () => undefined
})

const kinds = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 } as const satisfies Record<
  Tracer.SpanKind,
  number
>
const failed = 2

type Attribute = string | number | boolean

const attributeOf = (value: unknown): Attribute | undefined => {
  if (typeof value === "bigint") return String(value)
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : undefined
}

/** Seconds and nanoseconds, which numbers hold exactly. */
const timeOf = (nanos: bigint): [number, number] => [Number(nanos / 1_000_000_000n), Number(nanos % 1_000_000_000n)]

const linked = ({ traceId, spanId, sampled }: Tracer.AnySpan) => ({ traceId, spanId, traceFlags: sampled ? 1 : 0 })

/** The parent of a span: one of Gatewarden's, the host's active span, or a span of another process. */
const parentContext = ({ trace, context }: OpenTelemetry, parent: Option.Option<Tracer.AnySpan>) => {
  if (Option.isNone(parent)) return context.active()
  if (parent.value instanceof HostSpan) return parent.value.context
  return (
    Context.get(parent.value.annotations, HostContext) ??
    trace.setSpan(context.active(), trace.wrapSpanContext({ ...linked(parent.value), isRemote: true }))
  )
}

const nameOf = (cause: Cause.Cause<unknown>): string => {
  for (const reason of cause.reasons) {
    const error: unknown = Cause.isFailReason(reason)
      ? reason.error
      : Cause.isDieReason(reason)
        ? reason.defect
        : undefined
    if (error instanceof Error) return error.name
  }
  return Cause.hasInterruptsOnly(cause) ? "Interrupted" : "Failed"
}

/** The result of the host's module; `undefined` if it throws, because telemetry must not break requests. */
export const quietly = <A>(ask: () => A): A | undefined => {
  try {
    return ask()
  } catch {
    return undefined
  }
}

type SpanOptions = Parameters<Tracer.Tracer["span"]>[0]

/** A Gatewarden span in the host's OpenTelemetry. A failure is recorded by name, never by message. */
export class HostSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly name: string
  readonly spanId: string
  readonly traceId: string
  readonly sampled: boolean
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly annotations: Context.Context<never>
  readonly kind: Tracer.SpanKind
  readonly links: Tracer.SpanLink[]
  readonly attributes = new Map<string, unknown>()
  /** The host's context with this span in it. */
  readonly context: OpenTelemetryContext
  status: Tracer.SpanStatus
  readonly #span: OpenTelemetrySpan

  constructor(api: OpenTelemetry, tracer: OpenTelemetryTracer, options: SpanOptions) {
    const parent = parentContext(api, options.parent)
    const { name, kind, root, startTime } = options
    this.#span = tracer.startSpan(
      name,
      {
        kind: kinds[kind],
        root,
        startTime: timeOf(startTime),
        links: options.links.map(({ span }) => ({ context: linked(span) }))
      },
      parent
    )
    this.context = api.trace.setSpan(parent, this.#span)
    const { traceId, spanId, traceFlags } = this.#span.spanContext()
    this.name = name
    this.traceId = traceId
    this.spanId = spanId
    this.sampled = (traceFlags & 1) === 1
    this.parent = options.parent
    this.annotations = options.annotations
    this.kind = kind
    this.links = options.links
    this.status = { _tag: "Started", startTime }
  }

  attribute(key: string, value: unknown): void {
    this.attributes.set(key, value)
    const sent = attributeOf(value)
    if (sent !== undefined) quietly(() => this.#span.setAttribute(key, sent))
  }

  event(name: string, at: bigint, attributes: Record<string, unknown> = {}): void {
    const sent = Object.entries(attributes).flatMap(([key, value]) => {
      const attribute = attributeOf(value)
      return attribute === undefined ? [] : [[key, attribute] as const]
    })
    quietly(() => this.#span.addEvent(name, Object.fromEntries(sent), timeOf(at)))
  }

  addLinks(links: readonly Tracer.SpanLink[]): void {
    this.links.push(...links)
  }

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    if (this.status._tag === "Ended") return
    this.status = { _tag: "Ended", startTime: this.status.startTime, endTime, exit }
    quietly(() => {
      if (Exit.isFailure(exit)) this.#span.setStatus({ code: failed, message: nameOf(exit.cause) })
    })
    quietly(() => this.#span.end(timeOf(endTime)))
  }
}

export interface HostTracing {
  readonly tracer: Tracer.Tracer
  /** The context of a new request: its spans are children of the host's active span. */
  readonly requestContext: () => Context.Context<never>
}

/** Runs a function once, in the host's context if there is one; ignores errors of the host's module. */
const runWithin = <A>(api: OpenTelemetry, context: OpenTelemetryContext, run: () => A): A => {
  let outcome: { readonly value: A } | { readonly failure: unknown } | undefined
  const runOnce = (): void => {
    try {
      outcome = { value: run() }
    } catch (failure) {
      outcome = { failure }
    }
  }
  quietly(() => api.context.with(context, runOnce))
  if (outcome === undefined) runOnce()
  const ended = outcome as NonNullable<typeof outcome>
  if ("failure" in ended) throw ended.failure
  return ended.value
}

/**
 * Creates Gatewarden's spans in the host's OpenTelemetry. Errors of the host's module are ignored, because telemetry must not fail a
 * request. A span is active while its work runs, so that the host's instrumentation of its driver or of `fetch` nests below it.
 */
export const hostTracing = (api: OpenTelemetry): HostTracing => {
  const tracer = quietly(() => api.trace.getTracer("gatewarden"))
  return {
    tracer: Tracer.make({
      span: (options) => {
        if (tracer === undefined) return new Tracer.NativeSpan(options)
        return quietly<Tracer.Span>(() => new HostSpan(api, tracer, options)) ?? new Tracer.NativeSpan(options)
      },
      context: (primitive, fiber) => {
        const { span } = fiber.cache
        const run = () => primitive["~effect/Effect/evaluate"](fiber)
        return span instanceof HostSpan ? runWithin(api, span.context, run) : run()
      }
    }),
    requestContext: () =>
      quietly(() => {
        const active = api.context.active()
        const span = api.trace.getSpan(active)
        if (span === undefined) return Context.empty()
        const { traceId, spanId, traceFlags } = span.spanContext()
        const annotations = Context.make(HostContext, active)
        const parent = Tracer.externalSpan({ traceId, spanId, sampled: (traceFlags & 1) === 1, annotations })
        return Context.make(Tracer.ParentSpan, parent)
      }) ?? Context.empty()
  }
}
