/** One store for a whole `describe`, with a clock that stands still: effects of the core run on it. */
import type { StorePorts } from "@gatewarden/core/effect"
import { afterAll, beforeAll } from "@effect/vitest"
import { Clock, type Context, Effect, Exit, Layer, Scope } from "effect"

/** Call it inside `describe`; the answer runs effects once the hooks have run. */
export const storeUnderTest = (makeStore: () => Layer.Layer<StorePorts, unknown>, now: number) => {
  let services: Context.Context<StorePorts>
  const scope = Scope.makeUnsafe()
  const real = Clock.Clock.defaultValue()
  const standing = {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.succeed(now),
    currentTimeNanosUnsafe: () => BigInt(now) * 1_000_000n,
    currentTimeNanos: Effect.succeed(BigInt(now) * 1_000_000n),
    sleep: (duration) => real.sleep(duration)
  } as Clock.Clock
  beforeAll(async () => {
    services = await Effect.runPromise(Scope.provide(Layer.build(makeStore()), scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return <A, E>(effect: Effect.Effect<A, E, StorePorts>): Promise<A> =>
    Effect.runPromise(effect.pipe(Effect.provideContext(services), Effect.provideService(Clock.Clock, standing)))
}
