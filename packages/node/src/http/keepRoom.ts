import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

const graceMillis = 2_000
const minBytesPerSecond = 65_536

/**
 * Keeps a server to so many connections: a further one takes the place of the connection that has waited longest without a request in work,
 * so that whoever opens many and says nothing keeps nobody out. After these go connections whose requests have not ended, and are answered
 * already, or late: less has come of them in 2 s and more than 64 KiB a second. If all others have requests in work, it is refused.
 */
export const keepRoom = (server: Server, most: number): void => {
  // In the order in which they fell silent.
  const silent = new Set<Socket>()
  const inWork = new Map<Socket, Set<ServerResponse>>()
  const began = new WeakMap<Socket, { readonly at: number; readonly bytes: number }>()
  let connections = 0
  server.maxConnections = most + 1
  server.on("connection", (socket: Socket) => {
    connections++
    silent.add(socket)
    socket.once("close", () => {
      connections--
      silent.delete(socket)
      // Responses that waited for others on the connection are never closed.
      inWork.delete(socket)
    })
    if (connections <= most) return
    const [longest] = silent
    if (longest === socket) (unfinished() ?? socket).destroy()
    else longest?.destroy()
  })
  const isLate = (socket: Socket): boolean => {
    const { at = 0, bytes = 0 } = began.get(socket) ?? {}
    const millis = performance.now() - at - graceMillis
    return millis > 0 && socket.bytesRead - bytes < (millis / 1000) * minBytesPerSecond
  }
  const unfinished = (): Socket | undefined => {
    for (const [socket, responses] of inWork)
      if ([...responses].every(({ headersSent, req }) => !req.complete && (headersSent || isLate(socket))))
        return socket
    return undefined
  }
  const begin = ({ socket }: IncomingMessage, response: ServerResponse) => {
    silent.delete(socket)
    const responses = inWork.get(socket) ?? new Set()
    if (responses.size === 0) began.set(socket, { at: performance.now(), bytes: socket.bytesRead })
    inWork.set(socket, responses.add(response))
    response.once("close", () => {
      responses.delete(response)
      if (responses.size > 0 || socket.destroyed) return
      inWork.delete(socket)
      silent.add(socket)
    })
  }
  for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, begin)
}
