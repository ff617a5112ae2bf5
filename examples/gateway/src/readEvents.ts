import { type Room, weigh } from "./AnswerRoom.ts"
import { loopShare } from "./LoopShare.ts"

/** No event of a chat is longer, in characters. */
const longestEvent = 16_777_216

/** No event has more objects, lists and values in them: others wait while one is handled, and there may be many. */
const mostValues = 30_000

/** Shorter ones take less than a request counts, whatever is in them. */
const shortEvent = 4_096

/** Characters that a line counts beside its own, whatever is in it: an upstream may send nothing but ends of lines. */
const ofLine = 16

/** What a piece counts beside its bytes, and what an event does. */
const ofPiece = 64
const ofEvent = 2_048

/** No answer has more events. */
const mostOfAll = 1_000_000

/** Events that tell of no token: how parts of an answer begin and end, and that a provider is still at work. */
const besideTokens = 4_096

/**
 * How many events an answer of so many tokens may have: some providers send each character apart. More would take the time of others for
 * nothing that was bought.
 */
export const eventsOfTokens = (tokens: number): number => Math.min(8 * tokens + besideTokens, mostOfAll)

/** Lines of a text that comes in pieces. Each piece is searched once, however long a line becomes. `length`: of the line that is open. */
const lineSplitter = () => {
  let open: string[] = []
  let length = 0
  /** The last piece ended with a carriage return, of which a line feed may be a part. */
  let isReturned = false
  return {
    push: (piece: string): readonly string[] => {
      if (piece === "") return []
      const [first = "", ...more] = (isReturned && piece.startsWith("\n") ? piece.slice(1) : piece).split(/\r\n|\n|\r/)
      isReturned = piece.endsWith("\r")
      open.push(first)
      length += first.length
      const next = more.pop()
      if (next === undefined) return []
      const lines = [open.join(""), ...more]
      open = [next]
      ;({ length } = next)
      return lines
    },
    length: () => length
  }
}

/**
 * The `data` of server-sent events, however the bytes were cut. Comments and other fields are passed over, as long as events come. What has
 * arrived of an event takes room until it is whole, and a long one until the next was handled. Rejects after `most` events: comments and empty
 * events count.
 */
export async function* readEvents(
  bytes: AsyncIterable<Uint8Array>,
  room?: Room,
  most = mostOfAll
): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const splitter = lineSplitter()
  let data: string[] = []
  /** Of all lines since the last event. */
  let length = 0
  let events = 0
  let due = 0
  const inTurn = (cost: number): Promise<void> | undefined => {
    due += cost
    // What is little counts with what follows.
    if (due < ofEvent) return undefined
    const taken = due
    due = 0
    return room === undefined ? loopShare.take(taken, "") : room.turn(taken)
  }
  /** Of the last event. */
  let weight = 0
  for await (const piece of bytes) {
    let isWhole = false
    const turn = inTurn(piece.length + ofPiece)
    if (turn !== undefined) await turn
    for (const line of splitter.push(decoder.decode(piece, { stream: true }))) {
      const isCounted = line === "" || line.startsWith(":")
      if (isCounted && ++events > most) throw new Error("events without end")
      const turnOfLine = inTurn(isCounted ? ofEvent : ofLine)
      if (turnOfLine !== undefined) await turnOfLine
      if (line === "" && data.length > 0) {
        const event = data.join("\n")
        data = []
        length = 0
        isWhole = true
        // The stream may stay open behind it: no account holds more than its share for that long.
        const sharing = room && { ...room, add: room.take }
        weight = sharing && event.length > shortEvent ? await weigh(Buffer.from(event), sharing, mostValues) : 0
        yield event
      } else {
        length += line.length + ofLine
        if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""))
      }
    }
    if (splitter.length() + length > longestEvent) throw new Error("an event without end")
    // Whoever handled the last event has it at hand until the next one comes.
    if (isWhole) room?.keep(weight)
    else await room?.take(piece.length)
  }
}
