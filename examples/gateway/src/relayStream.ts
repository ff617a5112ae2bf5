/** An upstream's stream as the client gets it: events in order, what was used counted on the way, an end whoever causes it. */
import type { Listener } from "./Answer.ts"
import type { Dialect, StreamShape } from "./dialects/Dialect.ts"
import { readObject } from "./openUpstream.ts"
import type { GrantedAdmission } from "@gatewarden/core"
import { type Room, takeGrowth } from "./AnswerRoom.ts"
import type { Tally } from "./Tally.ts"

export type StreamEnd = "ok" | "error" | "cancelled"

export interface Relay {
  readonly events: AsyncGenerator<string>
  /** Lets go of the upstream. */
  readonly abort: () => void
  readonly dialect: Dialect
  readonly tally: Tally
  readonly room: Room
  readonly restore: GrantedAdmission["restore"]
  readonly shape: StreamShape
  /** The money is to be settled: once. When it resolves, the client may be told that it is over. */
  readonly onEnd: (how: StreamEnd) => Promise<void>
}

/** How long the end of a stream is waited for that has said all, in milliseconds. */
const endMillis = 1_000

/** A connection may be used again once the end of its answer has come. */
const readEnd = async ({ events, abort, room }: Relay): Promise<void> => {
  const late = setTimeout(abort, endMillis)
  late.unref()
  try {
    let next = await events.next()
    if (next.value === "[DONE]") next = await events.next()
    if (next.done !== true) abort()
  } catch {
    abort()
  } finally {
    clearTimeout(late)
    room.keep(0)
  }
}

/**
 * Resolves when the stream is over and settled, which is later than its client leaves: a stream costs what the upstream counts, so
 * it is read on to that.
 */
export const relayStream = async (relay: Relay, listener: Listener): Promise<void> => {
  const { events, abort, dialect, tally, room, restore, shape, onEnd } = relay
  const { left, send } = listener
  const sendAll = async (written: readonly string[]): Promise<void> => {
    for (const event of written) if (!left.aborted) await send(event)
  }
  const brokenOff = (): false => {
    tally.breakOff()
    return false
  }
  /** Whether the upstream came to its end, and the client was sent it. Never rejects: whatever happens, the money is settled. */
  const pass = async (): Promise<boolean> => {
    let isDone = false
    try {
      while (!shape.isLast()) {
        const { done, value: data } = await events.next()
        isDone = data === "[DONE]"
        if (done === true || isDone) break
        const event = readObject(data)
        if (event === undefined) return brokenOff()
        // A failure may say what it cost.
        tally.addChunk(event)
        // Of what is written for nobody, nothing waits to be read.
        await takeGrowth(data, restore, left.aborted ? { ...room, take: async () => {} } : room)
        if (dialect.isFailure(event)) return false
        await sendAll(shape.push(event))
      }
      if (!shape.isWhole(isDone)) return brokenOff()
      await sendAll(shape.end())
      return true
    } catch {
      return brokenOff()
    }
  }

  const ended = await pass()
  if (!ended) abort()
  await onEnd(left.aborted ? "cancelled" : ended ? "ok" : "error")
  await send(ended ? shape.done() : shape.broken())
  if (ended) void readEnd(relay)
}
