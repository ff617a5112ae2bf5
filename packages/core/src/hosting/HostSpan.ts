/** A Gatewarden span in the host's OpenTelemetry. A failure is recorded by name, never by message. */
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
