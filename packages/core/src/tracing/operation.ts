/**
 * An operation by its name: a span of it where spans go anywhere, and its work alone where they do not.
 *
 * In place of `Effect.fn`, which at each call takes a stack trace and makes a span and two contexts, whether anybody looks at
 * them or not; reading a row from memory costs less.
 */
import { Effect } from "effect"
import { isTraced } from "./isTraced.ts"

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
