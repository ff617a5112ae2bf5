/** An upstream's stream as the client gets it: events in order, what was used counted on the way, an end whoever causes it. */
import type { Listener } from "./Answer.ts"
import { isError, readObject } from "./openUpstream.ts"
import type { ChunkRestorer } from "./restoreAnswer.ts"
import { shapeChunk, type Shaping } from "./shapeAnswer.ts"
import type { Tally } from "./Tally.ts"

export type StreamEnd = "ok" | "error" | "cancelled"

export interface Relay {
  readonly events: AsyncGenerator<string>
  /** Lets go of the upstream. */
  readonly abort: () => void
  readonly tally: Tally
  /** Puts back what was redacted. */
  readonly restore: ChunkRestorer
  readonly shaping: Shaping
  /** The fields of the event with what was used and what it cost, which comes before the last. */
  readonly usageEvent: () => object
  /** The money is settled: once, before the client is told that it is over. */
  readonly onEnd: (how: StreamEnd) => Promise<void>
}

const done = "[DONE]"
const eventOf = (value: object | typeof done): string => `data: ${value === done ? done : JSON.stringify(value)}\n\n`

const isOnlyUsage = ({ choices }: Readonly<Record<string, unknown>>): boolean =>
  !Array.isArray(choices) || choices.length === 0

/** In the stream itself, so that a client which looks at choices alone learns of it too. */
const brokenOff = ({ id, created, answering }: Shaping) => ({
  id,
  object: "chat.completion.chunk",
  created,
  ...answering,
  error: { code: 502, message: "Provider returned error", metadata: { error_type: "provider_unavailable" } },
  choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }]
})

/**
 * Resolves when the stream is over and settled, which is later than its client leaves: a stream costs what the upstream counts, so
 * it is read on to that.
 */
export const relayStream = async (relay: Relay, listener: Listener): Promise<void> => {
  const { events, abort, tally, restore, shaping, usageEvent, onEnd } = relay
  const { left, send } = listener
  /** Whether the upstream came to its end. */
  const pass = async (): Promise<boolean> => {
    try {
      for await (const data of events) {
        if (data === done) break
        const chunk = readObject(data)
        if (chunk === undefined || isError(chunk)) return false
        tally.addChunk(chunk)
        if (left.aborted || isOnlyUsage(chunk)) continue
        await send(eventOf(restore.push(shapeChunk(chunk, shaping))))
      }
      return true
    } catch {
      return false
    }
  }

  const ended = await pass()
  if (!ended) {
    abort()
    await onEnd(left.aborted ? "cancelled" : "error")
    await send(eventOf(brokenOff(shaping)))
    return
  }
  const rest = restore.end()
  if (rest !== undefined) await send(eventOf({ ...rest, ...shaping.answering }))
  await send(eventOf(usageEvent()))
  await onEnd(left.aborted ? "cancelled" : "ok")
  await send(eventOf(done))
}
