/**
 * Runs an operation within a span of its name, or without a span if none are exported.
 *
 * Replaces `Effect.fn`, which captures a stack trace and creates a span and two contexts at each call, also without an exporter; that
 * costs more than reading a row from memory.
 */
import { Context, Effect, References, Tracer } from "effect"

/** Whether spans are exported. Otherwise none are created, because a span costs more than some of the work that it measures. */
export const isTraced = (context: Context.Context<never>): boolean =>
  Context.get(context, References.TracerEnabled) && Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer

type Work = Effect.Effect<unknown, unknown, unknown>

export const operation =
  (name: string) =>
  <Args extends unknown[], Step extends Work, A>(
    body: (...args: Args) => Generator<Step, A, never>
  ): ((...args: Args) => Effect.Effect<A, Effect.Error<Step>, Effect.Services<Step>>) => {
    const run = Effect.fnUntraced(body)
    return (...args) =>
      Effect.withFiber((fiber) =>
        isTraced(fiber.context) ? Effect.withSpan(run(...args), name, { captureStackTrace: false }) : run(...args)
      ) as Effect.Effect<A, Effect.Error<Step>, Effect.Services<Step>>
  }
