import { Cause, type Context, type Duration, Effect, Exit } from "effect"
import type { Services } from "../http/Services.ts"
import { explainCause } from "../http/envelope.ts"
import type { Failure } from "../value/failure.ts"
import { GatewardenRefusal } from "./GatewardenRefusal.ts"

/**
 * The error that a Promise method rejects with.
 *
 * A failure with an HTTP status is a `GatewardenRefusal`. A defect is passed unchanged, so that the host's error reports show its origin.
 */
export const rejectionOf = (cause: Cause.Cause<Failure>): Effect.Effect<unknown> => {
  const defect = cause.reasons.find(Cause.isDieReason)?.defect
  return Effect.map(explainCause(cause), ({ status, reason, issues }) =>
    reason === "unexpected_failure" ? defect : new GatewardenRefusal({ status, reason, issues, cause: defect })
  )
}

/**
 * Counts the calls in flight of an instance, so that closing waits for them and accepts no new ones.
 *
 * Source: docs/embedding.md. A host calls `close()` while requests are in flight; cancelling them would refuse writes that are about to
 * commit.
 */
export class UnderWay {
  #count = 0
  #closing = false
  #onIdle = (): void => {}

  get closing(): boolean {
    return this.#closing
  }

  /** Runs a call and counts it until it ends. */
  async run<A>(begin: () => Promise<A>): Promise<A> {
    this.#count++
    try {
      return await begin()
    } finally {
      if (--this.#count === 0) this.#onIdle()
    }
  }

  /** Marks the instance as closing, and waits for calls in flight up to the limit. */
  end(limit: Duration.Input): Effect.Effect<void> {
    this.#closing = true
    const idle = Effect.callback<void>((resume) => {
      this.#onIdle = () => resume(Effect.void)
      if (this.#count === 0) resume(Effect.void)
    })
    return Effect.asVoid(Effect.timeoutOption(idle, limit))
  }
}

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
