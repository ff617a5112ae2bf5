import { Context, References, Tracer } from "effect"

/** Whether spans go anywhere. Where they do not, none are made: each costs more than some of the work that it would measure. */
export const isTraced = (context: Context.Context<never>): boolean =>
  Context.get(context, References.TracerEnabled) && Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer
