/**
 * What an instance is doing for its host, counted, so that closing lets it end and begins nothing new.
 *
 * Source: docs/embedding.md. A host that is told to stop calls `close()` while requests are being answered; to cut them off would
 * turn writes that are about to commit into refusals.
 */
import { type Duration, Effect } from "effect"

export class UnderWay {
  #count = 0
  #closing = false
  #onIdle = (): void => {}

  get closing(): boolean {
    return this.#closing
  }

  /** Runs it and counts it until it ends. */
  async run<A>(begin: () => Promise<A>): Promise<A> {
    this.#count++
    try {
      return await begin()
    } finally {
      if (--this.#count === 0) this.#onIdle()
    }
  }

  /** From now on the instance is closing. Waits for what was begun, as long as the limit allows. */
  end(limit: Duration.Input): Effect.Effect<void> {
    this.#closing = true
    const idle = Effect.callback<void>((resume) => {
      this.#onIdle = () => resume(Effect.void)
      if (this.#count === 0) resume(Effect.void)
    })
    return Effect.asVoid(Effect.timeoutOption(idle, limit))
  }
}
