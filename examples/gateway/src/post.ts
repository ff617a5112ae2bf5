/** One POST over a connection that is kept. `node:http` itself: half the work of `fetch`, and nothing follows a redirect. */
import { Agent, type IncomingMessage, request as requestPlain } from "node:http"
import { Agent as SecureAgent, request as requestSecure } from "node:https"

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

/** We hung up, and the other side may have done what it was asked to. */
export class GaveUp extends Error {
  override readonly name = "GaveUp"
}

/** Resolves with the head of the answer. */
export const post = (address: string, { headers, body, silence_ms, signal }: Post): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const url = new URL(address)
    const isSecure = url.protocol === "https:"
    const sent = (isSecure ? requestSecure : requestPlain)(
      url,
      {
        method: "POST",
        agent: isSecure ? secure : plain,
        headers: { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(body) },
        timeout: silence_ms,
        signal
      },
      resolve
    )
    sent.on("timeout", () => sent.destroy(new GaveUp()))
    sent.on("error", (cause) => reject(signal.aborted ? new GaveUp() : cause))
    sent.end(body)
  })

/** A body as text, whole; rejects beyond so many bytes. */
export const readWhole = async (answer: IncomingMessage, most: number): Promise<string> => {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of answer as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > most) throw new Error("too long")
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString("utf8")
}
