/** One POST over a connection that is kept. `node:http` itself: half the work of `fetch`, and nothing follows a redirect. */
import { Agent, type IncomingMessage, request as requestPlain } from "node:http"
import { Agent as SecureAgent, request as requestSecure } from "node:https"
import { urlToHttpOptions } from "node:url"

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

/** Addresses that were read before. Only those of the configuration are asked, which are few. */
const targets = new Map<string, ReturnType<typeof urlToHttpOptions>>()

const targetOf = (address: string) => {
  const known = targets.get(address)
  if (known !== undefined) return known
  const target = urlToHttpOptions(new URL(address))
  targets.set(address, target)
  return target
}

/** Resolves with the head of the answer. */
export const post = (address: string, { headers, body, silence_ms, signal }: Post): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const target = targetOf(address)
    const isSecure = target.protocol === "https:"
    const sent = (isSecure ? requestSecure : requestPlain)(
      {
        ...target,
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
export const readWhole = (answer: IncomingMessage, most: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let length = 0
    answer
      .on("data", (piece: Buffer) => {
        length += piece.length
        if (length > most) answer.destroy(new Error("too long"))
        else pieces.push(piece)
      })
      .on("end", () => resolve(Buffer.concat(pieces).toString("utf8")))
      .on("error", reject)
      .on("close", () => reject(new Error("closed")))
  })
