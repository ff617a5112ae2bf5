/** Answers to responses of `node:http`. */
import {
  type AppAnswer,
  defaultBodyLimits,
  jsonType,
  maxShortBytes,
  type Pace,
  patienceMillis
} from "@gatewarden/core/internal"
import type { IncomingMessage, ServerResponse } from "node:http"
import { pipeline, Readable } from "node:stream"

/** Small enough that a client who takes 64 KiB a second shows it within two (`limitConnections`). */
const pieceBytes = 65_536

export const writeAnswer = (
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body, release }: AppAnswer,
  pace: Pace
): void => {
  if (body === undefined) {
    response.writeHead(status, headers).end()
    return
  }
  if (body instanceof ReadableStream) {
    response.writeHead(status, headers)
    if (request.method === "HEAD") {
      void body.cancel().catch(() => {})
      response.end()
      return
    }
    // Whoever hangs up ends the stream, and a stream that breaks off ends the connection: half a content is not taken for a whole one.
    pipe(Readable.fromWeb(body as never), response)
    endIfStuck(response, pace)
    return
  }
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.reduce((sum, piece) => sum + piece.length, 0)
  // Also what is not counted, as the answer of a change, is in memory until it is read.
  if (release !== undefined || length > maxShortBytes) {
    const timer = setTimeout(() => response.destroy(), patienceMillis(pace, length))
    response.once("close", () => {
      clearTimeout(timer)
      release?.()
    })
  }
  response.writeHead(status, { "content-type": jsonType, ...headers, "content-length": length })
  if (request.method === "HEAD") response.end()
  // One chunk of text leaves together with the headers.
  else if (length <= maxShortBytes) response.end(typeof body === "string" ? body : Buffer.concat(body))
  // As fast as it is taken, which is what `limitConnections` sees of a client: all at once it is written in one go. Whoever hangs up needs no rest.
  else pipe(Readable.from(piecesOf(typeof body === "string" ? [Buffer.from(body)] : body)), response)
}

/** How many listeners of one event a pipeline adds to its end, at most, and removes with it: they are no leak. */
const pipelineListeners = 10

const pipe = (source: Readable, response: ServerResponse): void => {
  const most = response.getMaxListeners()
  // 0: any number. What the server and a host listen to takes the rest, and more than that is warned of still.
  if (most > 0) response.setMaxListeners(most + pipelineListeners)
  pipeline(source, response, () => {})
}

const piecesOf = function* (body: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const part of body) for (let at = 0; at < part.length; at += pieceBytes) yield part.subarray(at, at + pieceBytes)
}

/** How often it is asked whether a client still reads. */
const readsPerGrace = 10

/** Ends the connection of a client that has taken no more of a stream within the grace. */
const endIfStuck = (response: ServerResponse, { graceMillis }: Pick<Pace, "graceMillis">): void => {
  let stuck = 0
  const timer = setInterval(() => {
    stuck = response.writableNeedDrain ? stuck + 1 : 0
    if (stuck > readsPerGrace) response.destroy()
  }, graceMillis / readsPerGrace)
  const onDrain = () => (stuck = 0)
  response.on("drain", onDrain).once("close", () => clearInterval(timer))
}

/** Writes what `fetch` answers; headers that the host has set stay. A client that takes nothing for the grace is disconnected. */
export const writeResponse = async (
  request: IncomingMessage,
  response: ServerResponse,
  answered: Response,
  { graceMillis }: Pick<Pace, "graceMillis"> = defaultBodyLimits
): Promise<void> => {
  if (response.destroyed) return void answered.body?.cancel()
  response.statusCode = answered.status
  if (answered.statusText !== "") response.statusMessage = answered.statusText
  for (const [name, value] of answered.headers) if (name !== "set-cookie") response.setHeader(name, value)
  const cookies = answered.headers.getSetCookie()
  if (cookies.length > 0) response.setHeader("set-cookie", cookies)
  // What is left of a body that nobody wants must not stand before the next request of the connection.
  response.once("finish", () => {
    if (!request.complete) request.resume()
  })
  if (request.method === "HEAD" || answered.body === null) {
    await answered.body?.cancel()
    response.end()
    return
  }
  const reader = answered.body.getReader()
  const stop = () => void reader.cancel().catch(() => {})
  response.once("close", stop)
  for (;;) {
    const { done, value } = await reader.read()
    if (done || response.destroyed) break
    if (!response.write(value)) await drained(response, graceMillis)
  }
  response.off("close", stop)
  response.end()
}

const drained = (response: ServerResponse, graceMillis: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), graceMillis)
    const done = () => {
      clearTimeout(timer)
      response.off("drain", done)
      response.off("close", done)
      resolve()
    }
    response.on("drain", done)
    response.on("close", done)
  })
