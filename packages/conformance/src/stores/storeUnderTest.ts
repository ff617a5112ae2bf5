/** One store for a whole `describe`, with a clock by hand: effects of the core run on it. */
import type { StorePorts } from "@gatewarden/core/store"
import { afterAll, beforeAll } from "@effect/vitest"
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import { byHand, type HandClock } from "../HandClock.ts"

/** Call it inside `describe`; the answer runs effects once the hooks have run. An instant is a clock that nobody turns. */
export const storeUnderTest = <R = StorePorts>(makeStore: () => Layer.Layer<R, unknown>, clock: number | HandClock) => {
  requireMakesLayer(makeStore)
  let services: Context.Context<R>
  const scope = Scope.makeUnsafe()
  const hand = typeof clock === "number" ? { now: clock } : clock
  beforeAll(async () => {
    services = await Effect.runPromise(Scope.provide(Layer.build(makeStore()), scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return <A, E>(effect: Effect.Effect<A, E, R>): Promise<A> =>
    Effect.runPromise(effect.pipe(Effect.provideContext(services), byHand(hand)))
}

/** A suite that is given something else says so when it is declared: a hook that fails would be reported for each test, without a cause. */
export const requireMakesLayer = (makeStore: unknown): void => {
  if (Layer.isLayer(makeStore)) throw new TypeError("This suite expects a function that makes the store: () => layer")
  if (typeof makeStore !== "function" || makeStore.length > 0)
    throw new TypeError(
      "This suite expects a name and a function that makes the store's layer: suite(name, () => layer)"
    )
}

/** For suites that build the layer themselves. */
export const requireLayer = (layer: unknown): void => {
  if (typeof layer === "function")
    throw new TypeError("This suite expects the layer itself, not a function that makes it")
  if (!Layer.isLayer(layer))
    throw new TypeError("This suite expects a name and the layer of a store: suite(name, layer)")
}
