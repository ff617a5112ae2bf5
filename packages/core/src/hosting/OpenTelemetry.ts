/**
 * The used part of the module `@opentelemetry/api`, described by its shape, so that the host's copy is the only one.
 *
 * `createGatewarden({ openTelemetry })` with `import * as openTelemetry from "@opentelemetry/api"`.
 */
export interface OpenTelemetry {
  readonly trace: {
    getTracer(name: string): OpenTelemetryTracer
    getSpan(context: OpenTelemetryContext): OpenTelemetrySpan | undefined
    setSpan(context: OpenTelemetryContext, span: OpenTelemetrySpan): OpenTelemetryContext
    wrapSpanContext(spanContext: OpenTelemetrySpanContext): OpenTelemetrySpan
  }
  readonly context: {
    active(): OpenTelemetryContext
    with<A>(context: OpenTelemetryContext, run: () => A): A
  }
}

/** A context of the host, with its active span. */
export interface OpenTelemetryContext {
  getValue(key: symbol): unknown
  setValue(key: symbol, value: unknown): OpenTelemetryContext
  deleteValue(key: symbol): OpenTelemetryContext
}

/** Begins spans; `startTime` is in whole seconds and nanoseconds since 1970. */
export interface OpenTelemetryTracer {
  startSpan(
    name: string,
    options: {
      readonly kind: number
      readonly startTime: [seconds: number, nanos: number]
      readonly root: boolean
      readonly links: { readonly context: OpenTelemetrySpanContext }[]
    },
    context: OpenTelemetryContext
  ): OpenTelemetrySpan
}

/** The ids of a span for other processes, in lower-case hex. */
export interface OpenTelemetrySpanContext {
  readonly traceId: string
  readonly spanId: string
  /** The lowest bit: sampled. */
  readonly traceFlags: number
  readonly isRemote?: boolean
}

/** A span of the host, with the methods that Gatewarden calls. */
export interface OpenTelemetrySpan {
  spanContext(): OpenTelemetrySpanContext
  setAttribute(key: string, value: string | number | boolean): unknown
  addEvent(name: string, attributes: Record<string, string | number | boolean>, at: [number, number]): unknown
  setStatus(status: { readonly code: number; readonly message?: string }): unknown
  end(at: [seconds: number, nanos: number]): void
}
