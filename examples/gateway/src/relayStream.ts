/** An upstream's stream as the client gets it: events in order, what was used counted on the way, an end whoever causes it. */
import { isError, readObject } from "./openUpstream.ts"
import type { ChunkRestorer } from "./restoreAnswer.ts"
import type { Tally } from "./Tally.ts"

export type StreamEnd = "ok" | "error" | "cancelled"

export interface Relay {
  readonly events: AsyncGenerator<string>
  readonly abort: () => void
  readonly tally: Tally
  /** Puts back what was redacted. */
  readonly restore: ChunkRestorer
  /** The model and provider that answer. */
  readonly answering: Readonly<Record<string, unknown>>
  /** Whether the client asked for the chunk that has usage and no choices. */
  readonly wantsUsage: boolean
  /** Called once; the stream ends when it is done. */
  readonly onEnd: (how: StreamEnd) => Promise<void>
}

const utf8 = new TextEncoder()
const done = "[DONE]"

const isOnlyUsage = ({ choices }: Readonly<Record<string, unknown>>): boolean =>
  Array.isArray(choices) && choices.length === 0

export const relayStream = ({
  events,
  abort,
  tally,
  restore,
  answering,
  wantsUsage,
  onEnd
}: Relay): ReadableStream<Uint8Array> => {
  let ending: Promise<void> | undefined
  const end = (how: StreamEnd): Promise<void> => (ending ??= onEnd(how))
  const broken = { error: { code: 502, message: "Provider returned error" } }

  /** What to pass on next; `undefined` at the end of the upstream's stream. */
  const next = async (): Promise<object | typeof done | undefined> => {
    for (;;) {
      const { value: data } = await events.next()
      if (data === undefined || data === done) return data
      const chunk = readObject(data)
      if (chunk === undefined || isError(chunk)) throw new Error("the upstream broke off")
      tally.add(chunk)
      if (wantsUsage || !isOnlyUsage(chunk)) return { ...restore.push(chunk), ...answering }
    }
  }

  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const send = (value: object | typeof done) =>
        controller.enqueue(utf8.encode(`data: ${value === done ? done : JSON.stringify(value)}\n\n`))
      try {
        const passed = await next()
        if (ending !== undefined) return
        if (passed !== undefined && passed !== done) return send(passed)
        const rest = restore.end()
        if (rest !== undefined) send({ ...rest, ...answering })
        await end("ok")
        send(done)
      } catch {
        if (ending !== undefined) return
        abort()
        await end("error")
        send(broken)
      }
      controller.close()
    },
    cancel: async () => {
      // Whoever pays has stopped listening: nothing more is to be written.
      abort()
      await end("cancelled")
    }
  })
}
