/** One store for a whole `describe`, with a clock by hand: effects of the core run on it. */
import type { StorePorts } from "@gatewarden/core/effect"
import { afterAll, beforeAll } from "@effect/vitest"
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import { byHand, type HandClock } from "../HandClock.ts"

/** Call it inside `describe`; the answer runs effects once the hooks have run. An instant is a clock that nobody turns. */
export const storeUnderTest = (makeStore: () => Layer.Layer<StorePorts, unknown>, clock: number | HandClock) => {
  let services: Context.Context<StorePorts>
  const scope = Scope.makeUnsafe()
  const hand = typeof clock === "number" ? { now: clock } : clock
  beforeAll(async () => {
    services = await Effect.runPromise(Scope.provide(Layer.build(makeStore()), scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return <A, E>(effect: Effect.Effect<A, E, StorePorts>): Promise<A> =>
    Effect.runPromise(effect.pipe(Effect.provideContext(services), byHand(hand)))
}
