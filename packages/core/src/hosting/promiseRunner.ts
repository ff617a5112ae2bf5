import { type Context, Effect, Exit } from "effect"
import type { Failure } from "../value/failure.ts"
import { GatewardenRefusal } from "./GatewardenRefusal.ts"
import type { Services } from "../http/Services.ts"
import { rejectionOf } from "./rejectionOf.ts"
import { UnderWay } from "./UnderWay.ts"

/** Runs an operation for a Promise method. */
export type PromiseRunner = <A>(effect: Effect.Effect<A, Failure, Services>) => Promise<A>

/** Runs over the services of an instance, until it is closed. */
export const promiseRunner = (
  services: Context.Context<Services>,
  underWay: UnderWay = new UnderWay()
): PromiseRunner => {
  // Calls use the services' context directly; no context is built for each of them.
  const run = Effect.runPromiseExitWith(services)
  const runPromise = Effect.runPromiseWith(services)
  return (effect) =>
    underWay.run(async () => {
      if (underWay.closing) throw new GatewardenRefusal({ status: 503, reason: "draining" })
      const exit = await run(effect)
      if (Exit.isSuccess(exit)) return exit.value
      throw await runPromise(rejectionOf(exit.cause))
    })
}
