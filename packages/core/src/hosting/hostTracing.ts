import { Context, Tracer } from "effect"
import { HostContext, HostSpan, quietly } from "./HostSpan.ts"
import type { OpenTelemetry, OpenTelemetryContext } from "./OpenTelemetry.ts"

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
