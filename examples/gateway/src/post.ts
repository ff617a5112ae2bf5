/** One POST over a connection that is kept. `node:http` itself: half the work of `fetch`, and nothing follows a redirect. */
import { GatheredBytes } from "@gatewarden/core/effect"
import { Agent, type IncomingMessage, request as requestPlain } from "node:http"
import { Agent as SecureAgent, request as requestSecure } from "node:https"
import { urlToHttpOptions } from "node:url"
import type { Room } from "./AnswerRoom.ts"

/**
 * Connections are given up soon, before the other side does: a request that meets the end of its connection may have been read, so
 * that it is not sent again.
 */
const kept = { keepAlive: true, timeout: 4_000 }
const plain = new Agent(kept)
const secure = new SecureAgent(kept)

export interface Post {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** How long the other side may be silent, in milliseconds. */
  readonly silence_ms: number
  /** Ends it, at any time. */
  readonly signal: AbortSignal
}

/** An answer, from its head on. */
export interface Received {
  readonly status: number
  readonly retry_after: string | undefined
  /** How long its body is to be, in bytes; 0 if it does not say. */
  readonly announced: number
  readonly pieces: AsyncIterable<Uint8Array>
  /** Hangs up. */
  readonly abort: () => void
}

/** Resolves with the head of the answer. Nothing that waits for it keeps what was sent. */
export type Send = (address: string, what: Post) => Promise<Received>

/** Answers with a status of 1xx before the one that counts. Each begins the time of silence anew. */
const maxInformational = 8

/** We hung up, and the other side may have done what it was asked to. */
export class GaveUp extends Error {
  override readonly name = "GaveUp"
}

/** Nothing was sent. */
class NotConnected extends Error {
  readonly code = "ETIMEDOUT"
}

/** Addresses that were read before. Only those of the configuration are asked, which are few. */
const targets = new Map<string, ReturnType<typeof urlToHttpOptions>>()

const targetOf = (address: string) => {
  const known = targets.get(address)
  if (known !== undefined) return known
  const target = urlToHttpOptions(new URL(address))
  targets.set(address, target)
  return target
}

const received = (answer: IncomingMessage): Received => ({
  status: answer.statusCode ?? 0,
  retry_after: answer.headers["retry-after"],
  announced: Number(answer.headers["content-length"] ?? 0),
  pieces: answer,
  abort: () => void answer.destroy()
})

export const post: Send = (address, { headers, body, silence_ms, signal }) => {
  const target = targetOf(address)
  const isSecure = target.protocol === "https:"
  const sent = (isSecure ? requestSecure : requestPlain)({
    method: "POST",
    agent: isSecure ? secure : plain,
    headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body), ...headers },
    timeout: silence_ms,
    signal,
    ...target
  })
  let isConnected = false
  const connected = () => (isConnected = true)
  sent.once("socket", (socket) => {
    if (sent.reusedSocket) connected()
    else socket.once(isSecure ? "secureConnect" : "connect", connected)
  })
  sent.on("timeout", () => sent.destroy(isConnected ? new GaveUp() : new NotConnected()))
  const answered = new Promise<Received>((resolve, reject) => {
    sent.on("response", (answer: IncomingMessage) => resolve(received(answer)))
    sent.on("error", (cause) => reject(signal.aborted ? new GaveUp() : cause))
    let informational = 0
    sent.on("information", () => {
      if (++informational <= maxInformational) return
      sent.destroy()
      // At once: an answer that came in the same packet counts no more.
      reject(new Error(`Expected at most ${maxInformational} informational responses`))
    })
    // Nobody asks for another protocol (101), and without a listener Node would tell nobody of the answer.
    sent.once("upgrade", (_, socket) => {
      socket.destroy()
      reject(new Error("The provider changed the protocol"))
    })
  })
  sent.end(body)
  return answered
}

/** A body, whole; rejects beyond what there is room for. */
export const readWhole = async (
  { announced, pieces, abort }: Received,
  { longest, take }: Room
): Promise<Uint8Array> => {
  try {
    if (announced > longest) throw new Error("too long")
    // Room for all of it at once, so that no two wait for each other with a half.
    if (announced > 0) await take(announced)
  } catch (cause) {
    abort()
    throw cause
  }
  const gathered = new GatheredBytes()
  for await (const piece of pieces) {
    gathered.add(piece)
    if (gathered.size > longest) throw new Error("too long")
    if (gathered.size > announced) await take(piece.length)
  }
  return gathered.take()
}

/** The beginning of a body, as text. */
export const readStart = async ({ pieces }: Received, most: number): Promise<string> => {
  const gathered = new GatheredBytes()
  for await (const piece of pieces) {
    gathered.add(piece)
    if (gathered.size > most) break
  }
  return Buffer.from(gathered.take().subarray(0, most)).toString("utf8")
}
