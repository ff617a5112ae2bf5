import { Context, Tracer } from "effect"
import { HostContext, HostSpan } from "./HostSpan.ts"
import type { OpenTelemetry } from "./OpenTelemetry.ts"

export interface HostTracing {
  readonly tracer: Tracer.Tracer
  /** For a request that begins now: its spans hang below the host's active one. */
  readonly requestContext: () => Context.Context<never>
}

/**
 * Our spans in the host's OpenTelemetry. While one of them is at work it is the active one, so that what the host's
 * instrumentation of its driver or of `fetch` records hangs below it.
 */
export const hostTracing = (api: OpenTelemetry): HostTracing => {
  const tracer = api.trace.getTracer("gatewarden")
  return {
    tracer: Tracer.make({
      span: (options) => new HostSpan(api, tracer, options),
      context: (primitive, fiber) => {
        const { span } = fiber.cache
        const run = () => primitive["~effect/Effect/evaluate"](fiber)
        return span instanceof HostSpan ? api.context.with(span.context, run) : run()
      }
    }),
    requestContext: () => {
      const active = api.context.active()
      const span = api.trace.getSpan(active)
      if (span === undefined) return Context.empty()
      const { traceId, spanId, traceFlags } = span.spanContext()
      const annotations = Context.make(HostContext, active)
      const parent = Tracer.externalSpan({ traceId, spanId, sampled: (traceFlags & 1) === 1, annotations })
      return Context.make(Tracer.ParentSpan, parent)
    }
  }
}
