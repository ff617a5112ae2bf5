import { GatheredBytes } from "@gatewarden/core/effect"
import type { IncomingMessage } from "node:http"

/** A smaller piece waits for others: Node keeps a buffer for each, which takes two hundred bytes and more. */
const smallBytes = 1_024

/**
 * Hands a chunked body on in pieces that are worth their buffers. A chunk of one byte takes six on the wire, so that a packet holds ten
 * thousand, and nothing reads them before a request is let in.
 *
 * Rule: requests#bodies-in-flight. Call it before the body arrives, whoever reads it.
 */
export const joinPieces = (request: IncomingMessage): void => {
  if (request.headers["transfer-encoding"] === undefined || Object.hasOwn(request, "push")) return
  const push = request.push.bind(request)
  const waiting = new GatheredBytes()
  let due: NodeJS.Immediate | undefined
  const flush = (): void => {
    clearImmediate(due)
    due = undefined
    if (waiting.size === 0 || request.destroyed) return
    const { buffer, byteOffset, byteLength } = waiting.take()
    push(Buffer.from(buffer, byteOffset, byteLength))
  }
  request.push = (piece: unknown, encoding?: BufferEncoding): boolean => {
    if (!(piece instanceof Uint8Array) || piece.length >= smallBytes) {
      flush()
      return push(piece, encoding)
    }
    waiting.add(piece)
    due ??= setImmediate(flush)
    return waiting.size + request.readableLength < request.readableHighWaterMark
  }
}
