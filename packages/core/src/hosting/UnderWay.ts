/**
 * Counts the calls in flight of an instance, so that closing waits for them and accepts no new ones.
 *
 * Source: docs/embedding.md. A host calls `close()` while requests are in flight; cancelling them would refuse writes that are about to
 * commit.
 */
import { type Duration, Effect } from "effect"

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
