/** What a configuration wants to know of the instance: nothing by default, and then no spans are made. */
import { DeliveryMeter } from "@gatewarden/core/internal"
import { Context, Effect, Tracer } from "effect"
import { Statement } from "effect/sql"
import { type Sampler, makeSampler } from "../config/makeSampler.ts"
import type { Configuration } from "../config/readConfiguration.ts"
import { sendingTracer } from "../telemetry/sendingTracer.ts"
import { silentTracer, spanTracer } from "../telemetry/spanTracer.ts"
import { makeMetrics } from "./makeMetrics.ts"

const sendsNothing: Sampler = makeSampler("parentbased_always_off", 1) ?? (() => false)

export const watchInstance = Effect.fnUntraced(function* ({ telemetry, values }: Configuration) {
  const isMeasured = values.GATEWARDEN_METRICS || values.GATEWARDEN_METRICS_PORT !== undefined
  const metrics = isMeasured
    ? yield* Effect.acquireRelease(Effect.sync(makeMetrics), ({ close }) => Effect.sync(close))
    : undefined
  if (telemetry === undefined && metrics === undefined) return { services: Context.empty(), metrics }
  const tracer = spanTracer({
    inner: telemetry === undefined ? silentTracer : yield* sendingTracer(telemetry),
    sampler: telemetry?.sampler ?? sendsNothing,
    reader: metrics?.reader
  })
  // With propagation a statement says how long it waited for a connection.
  const services = Context.make(Tracer.Tracer, tracer).pipe(Context.add(Statement.SpanPropagationEnabled, true))
  return {
    // Background work has no spans.
    services: metrics === undefined ? services : Context.add(services, DeliveryMeter, metrics.delivered),
    metrics
  }
})
