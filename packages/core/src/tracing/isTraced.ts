import { Context, References, Tracer } from "effect"

/** Whether spans are exported. Otherwise none are created, because a span costs more than some of the work that it measures. */
export const isTraced = (context: Context.Context<never>): boolean =>
  Context.get(context, References.TracerEnabled) && Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer
