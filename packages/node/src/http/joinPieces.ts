import { GatheredBytes } from "@gatewarden/core/effect"
import type { IncomingMessage } from "node:http"

/** A smaller piece waits for others: Node keeps a buffer for each, which takes two hundred bytes and more. */
const smallBytes = 1_024

/** Pieces of a body that do not count, so that any number of short bodies may follow one another. */
const freePieces = 16

/** What a connection may send in pieces of fewer bytes than these, on average. */
const finePieces = 4_096
const fineBytes = 8

/** Pieces of bodies beyond the free ones, by connection. */
const counts = new WeakMap<object, { pieces: number; bytes: number }>()

/** Why a connection ends that sends very small pieces. */
export class FinePieces extends Error {
  override readonly message = `Expected chunks of at least ${fineBytes} bytes on average`
}

/**
 * Hands on a chunked body, of a request or of an answer, in pieces that are worth their buffers. A chunk of one byte takes six on the wire, so
 * that a packet holds ten thousand, and nothing reads them before a request is let in. Each takes Node half a microsecond to find, so a
 * connection that sends thousands is ended.
 *
 * Rule: requests#bodies-in-flight, operating#outgoing-calls. Call it before the body arrives, whoever reads it.
 */
export const joinPieces = (request: IncomingMessage, end = (_: FinePieces): void => void request.destroy()): void => {
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
  const isFine = countPieces(request.socket ?? request)
  let isEnded = false
  request.push = (piece: unknown, encoding?: BufferEncoding): boolean => {
    if (isEnded) return false
    if (!(piece instanceof Uint8Array)) {
      flush()
      return push(piece, encoding)
    }
    if (isFine(piece.length)) {
      isEnded = true
      clearImmediate(due)
      end(new FinePieces())
      // So that nothing more is read of the connection.
      return false
    }
    if (piece.length >= smallBytes) {
      flush()
      return push(piece, encoding)
    }
    waiting.add(piece)
    due ??= setImmediate(flush)
    return waiting.size + request.readableLength < request.readableHighWaterMark
  }
}

/** Counts the pieces of one body: whether its connection has now sent too many for their bytes. */
const countPieces = (connection: object): ((bytes: number) => boolean) => {
  const count = counts.get(connection) ?? { pieces: 0, bytes: 0 }
  counts.set(connection, count)
  let pieces = 0
  return (bytes) => {
    if (++pieces <= freePieces) return false
    count.bytes += bytes
    return ++count.pieces > finePieces && count.bytes < fineBytes * count.pieces
  }
}
