import type { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"

/** Requests that wait behind another one of their connection; whoever sends more is disconnected. */
const mostWaiting = 16

/** The same of all connections: their headers are in memory. */
const mostWaitingInProcess = 500

let waitingInProcess = 0
/** By connection, the response to the request that was begun last. */
const begun = new WeakMap<Socket, ServerResponse>()
/** By connection that has had requests waiting. */
const waiting = new WeakMap<Socket, number>()

const count = (socket: Socket, change: number): void => {
  waiting.set(socket, (waiting.get(socket) ?? 0) + change)
  waitingInProcess += change
}

/**
 * Begins the requests of a connection one after another. Node hands over all that a client has sent at once (HTTP pipelining), as many as a
 * packet holds, and keeps their answers in memory until the client reads them, so that a few connections fill any heap. A client that sends
 * more than 16 behind one that is not answered yet is disconnected, and so is whoever adds to 500 that wait in the process.
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
  const before = waiting.get(socket)
  if (before === mostWaiting || waitingInProcess === mostWaitingInProcess) return void socket.destroy()
  // What waits when a connection closes is never begun.
  if (before === undefined) socket.once("close", () => count(socket, -(waiting.get(socket) ?? 0)))
  count(socket, 1)
  response.once("socket", () => {
    count(socket, -1)
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
