/** An upstream's stream as the client gets it: events in order, what was used counted on the way, an end whoever causes it. */
import type { Listener } from "./Answer.ts"
import type { Dialect, StreamShape } from "./dialects/Dialect.ts"
import { readObject } from "./openUpstream.ts"
import type { Tally } from "./Tally.ts"

export type StreamEnd = "ok" | "error" | "cancelled"

export interface Relay {
  readonly events: AsyncGenerator<string>
  /** Lets go of the upstream. */
  readonly abort: () => void
  readonly dialect: Dialect
  readonly tally: Tally
  readonly shape: StreamShape
  /** The money is to be settled: once. When it resolves, the client may be told that it is over. */
  readonly onEnd: (how: StreamEnd) => Promise<void>
}

/**
 * Resolves when the stream is over and settled, which is later than its client leaves: a stream costs what the upstream counts, so
 * it is read on to that.
 */
export const relayStream = async (relay: Relay, listener: Listener): Promise<void> => {
  const { events, abort, dialect, tally, shape, onEnd } = relay
  const { left, send } = listener
  const sendAll = async (written: readonly string[]): Promise<void> => {
    for (const event of written) if (!left.aborted) await send(event)
  }
  /** Whether the upstream came to its end, and the client was sent it. Never rejects: whatever happens, the money is settled. */
  const pass = async (): Promise<boolean> => {
    let isDone = false
    try {
      for await (const data of events) {
        isDone = data === "[DONE]"
        if (isDone) break
        const event = readObject(data)
        if (event === undefined) return false
        // A failure may say what it cost.
        tally.addChunk(event)
        if (dialect.isFailure(event)) return false
        await sendAll(shape.push(event))
      }
      if (!shape.isWhole(isDone)) return false
      await sendAll(shape.end())
      return true
    } catch {
      return false
    }
  }

  const ended = await pass()
  if (!ended) abort()
  await onEnd(left.aborted ? "cancelled" : ended ? "ok" : "error")
  await send(ended ? shape.done() : shape.broken())
}
