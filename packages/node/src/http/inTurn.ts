import type { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"

/** Requests that wait behind another one of their connection; whoever sends more is disconnected. */
const mostWaiting = 16

/** The same of all connections: their headers are in memory. */
const mostWaitingInProcess = 500

/** What waits on one connection. */
interface Waiting {
  count: number
  /** When a request was begun there last, or the first of these came. */
  since: number
}

let waitingInProcess = 0
/** By connection, the response to the request that was begun last. */
const begun = new WeakMap<Socket, ServerResponse>()
/** By connection that has requests waiting. */
const waiting = new Map<Socket, Waiting>()
/** Connections that are forgotten when they close. */
const watched = new WeakSet<Socket>()

const forget = (socket: Socket): void => {
  waitingInProcess -= waiting.get(socket)?.count ?? 0
  waiting.delete(socket)
}

const add = (socket: Socket): void => {
  if (!watched.has(socket)) {
    watched.add(socket)
    // What waits when a connection closes is never begun.
    socket.once("close", () => forget(socket))
  }
  const those = waiting.get(socket)
  if (those === undefined) waiting.set(socket, { count: 1, since: performance.now() })
  else those.count++
  waitingInProcess++
}

const take = (socket: Socket): void => {
  const those = waiting.get(socket)
  if (those === undefined) return
  waitingInProcess--
  those.since = performance.now()
  if (--those.count === 0) waiting.delete(socket)
}

/** Disconnects whoever has the most waiting for the longest, one times the other. */
const makeRoom = (): void => {
  const now = performance.now()
  let most = -1
  let whose: Socket | undefined
  for (const [socket, { count, since }] of waiting) {
    const held = count * (now - since)
    if (held <= most) continue
    most = held
    whose = socket
  }
  if (whose === undefined) return
  whose.destroy()
  forget(whose)
}

/**
 * Begins the requests of a connection one after another. Node hands over all that a client has sent at once (HTTP pipelining), as many as a
 * packet holds, and keeps their answers in memory until the client reads them, so that a few connections fill any heap. A client that sends
 * more than 16 behind one that is not answered yet is disconnected. If more than 500 wait in the process, the connection is that has the most of them for the longest.
 *
 * Rule: requests#answers-in-flight.
 *
 * @param request the request
 * @param response its response
 * @param begin answers the request; called at once, or when the responses before it have been written, or never if the connection ends before
 * @returns nothing
 * @throws nothing
 * @example
 * inTurn(request, response, () => toNodeHandler(gatewarden)(request, response))
 */
export const inTurn = (request: IncomingMessage, response: ServerResponse, begin: () => void): void => {
  const { socket } = request
  // Node gives a response its socket when those before it are written, and none if one of them ends the connection. Over HTTP/2, and where a
  // host makes up requests or has answered already, there is nothing to wait for.
  if (!(socket instanceof Socket) || response.writableEnded) return begin()
  if (response.socket !== null) return start(socket, response, begin)
  if (waiting.get(socket)?.count === mostWaiting) return void socket.destroy()
  if (waitingInProcess === mostWaitingInProcess) makeRoom()
  if (socket.destroyed) return
  add(socket)
  response.once("socket", () => {
    take(socket)
    if (!socket.destroyed) start(socket, response, begin)
  })
}

const start = (socket: Socket, response: ServerResponse, begin: () => void): void => {
  begun.set(socket, response)
  begin()
}

/** Whether a request that came whole awaits its answer on this connection, or the rest of it, so that nothing else can be answered there. */
export const isAnswering = (socket: Socket): boolean => {
  const response = begun.get(socket)
  return response !== undefined && !response.writableFinished && (response.headersSent || response.req.complete)
}
