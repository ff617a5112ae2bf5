/** A long answer that is a list, such as embeddings, as its client gets it: while it comes, so that nothing of it is kept. */
import type { Listener } from "./Answer.ts"
import type { Dialect, Fields, Shaping } from "./dialects/Dialect.ts"
import type { PassedList } from "./openUpstream.ts"
import type { StreamEnd } from "./relayStream.ts"
import type { Tally } from "./Tally.ts"

export interface ListRelay {
  readonly list: PassedList
  readonly dialect: Dialect
  readonly tally: Tally
  readonly shaping: Shaping
  /** The money is settled: once, before the client has all. */
  readonly onEnd: (how: StreamEnd) => Promise<void>
}

/** Resolves when the answer is over and settled, which is later than its client leaves. The connection of half an answer is cut. */
export const relayList = async (
  { list, dialect, tally, shaping, onEnd }: ListRelay,
  { left, send, cut }: Listener
): Promise<void> => {
  const { name, entries, rest, abort } = list
  /** The other fields. Never rejects: whatever happens, the money is settled. */
  const pass = async (): Promise<Fields | undefined> => {
    try {
      await send(`{${JSON.stringify(name)}:[`)
      for await (const piece of entries) if (!left.aborted) await send(piece)
      const answer = await rest()
      if (answer === undefined) return undefined
      // A failure may say what it cost.
      tally.add(answer)
      if (dialect.isFailure(answer) || !dialect.isAnswer(answer)) return undefined
      const { [name]: _, ...fields } = dialect.whole(answer, shaping)
      return fields
    } catch {
      return undefined
    }
  }

  const fields = await pass()
  if (fields === undefined) abort()
  await onEnd(left.aborted ? "cancelled" : fields === undefined ? "error" : "ok")
  if (fields === undefined) cut()
  else await send(`],${JSON.stringify(fields).slice(1)}`)
}
