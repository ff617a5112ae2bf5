/**
 * Requests over a fixed number of connections, each of which sends the next one when it has read the answer to the last.
 *
 * On bare sockets: what the client costs is taken from what both servers get of the machine, so it must cost little.
 */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import type { Contender } from "./Measure.ts"

export interface HttpLoad {
  readonly run: Contender
  /** The same, and how long each request took, in milliseconds. */
  readonly latencies: (millis: number) => Promise<readonly number[]>
  readonly close: () => void
}

/** The bytes of the nth request. */
export type RequestAt = (index: number) => string

/** A request as it goes over the wire. */
export const requestText = (
  url: URL,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string
): string => {
  const all: Record<string, string> = { host: url.host, ...headers }
  if (body !== undefined) {
    all["content-type"] = "application/json"
    all["content-length"] = String(Buffer.byteLength(body))
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body ?? ""}`
}

const headEnd = Buffer.from("\r\n\r\n")
const lastChunk = Buffer.from("0\r\n\r\n")

/** The length of the first answer in the bytes, undefined while it is not whole. Throws when it is no success. */
const answerLength = (bytes: Buffer): number | undefined => {
  const end = bytes.indexOf(headEnd)
  if (end === -1) return undefined
  const head = bytes.toString("latin1", 0, end)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  const isChunked = length === undefined && /\r\ntransfer-encoding: *chunked/i.test(head)
  if (!head.startsWith("HTTP/1.1 20") || (length === undefined && !isChunked))
    throw new Error(`Unexpected answer: ${bytes.toString("utf8").slice(0, 500)}`)
  // One request at a time: what has come is this answer and nothing behind it.
  if (isChunked) return bytes.subarray(-lastChunk.length).equals(lastChunk) ? bytes.length : undefined
  const whole = end + headEnd.length + Number(length)
  return bytes.length < whole ? undefined : whole
}

/** In milliseconds; Node's servers wait for five seconds. */
const longestIdle = 2_000

export const openHttpLoad = async (url: URL, connections: number, requestAt: RequestAt): Promise<HttpLoad> => {
  const sockets: Socket[] = []
  let used = performance.now()
  const dial = async () => {
    const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true })
    await once(socket, "connect")
    // Between two runs nobody listens, and a server may close what it has not heard of for a while.
    return socket.on("error", () => {})
  }
  /** Connections that were idle for long are made anew. */
  const dialAll = async () => {
    if (performance.now() - used < longestIdle && sockets.every(({ destroyed }) => !destroyed) && sockets.length > 0)
      return
    for (const socket of sockets.splice(0)) socket.destroy()
    for (let index = 0; index < connections; index++) sockets.push(await dial())
  }
  await dialAll()
  let sent = 0
  const work = async (millis: number, onDone: (took: number) => void) => {
    await dialAll()
    const start = performance.now()
    const until = start + millis
    await Promise.all(
      sockets.map(
        (socket) =>
          new Promise<void>((resolve, reject) => {
            let rest: Buffer | undefined
            let began = performance.now()
            const finish = (settle: () => void) => {
              socket.off("data", onData).off("close", onClose).off("error", reject)
              settle()
            }
            const onClose = () => finish(() => reject(new Error("The server closed a connection")))
            const onData = (chunk: Buffer) => {
              try {
                const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk])
                const length = answerLength(bytes)
                if (length === undefined) return void (rest = bytes)
                rest = undefined
                const now = performance.now()
                onDone(now - began)
                began = now
                if (now < until) return void socket.write(requestAt(sent++))
                finish(resolve)
              } catch (cause) {
                finish(() => reject(cause as Error))
              }
            }
            socket.on("data", onData).on("close", onClose).on("error", reject)
            socket.write(requestAt(sent++))
          })
      )
    )
    used = performance.now()
    return used - start
  }
  const run: Contender = async (millis) => {
    let done = 0
    const elapsed = await work(millis, () => done++)
    return (done * 1000) / elapsed
  }
  const latencies = async (millis: number) => {
    const took: number[] = []
    await work(millis, (each) => took.push(each))
    return took
  }
  return { run, latencies, close: () => sockets.forEach((socket) => socket.destroy()) }
}
