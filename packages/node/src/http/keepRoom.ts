import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/**
 * Keeps a server to so many connections: a further one takes the place of the connection that has waited longest without a request in work,
 * so that whoever opens many and says nothing keeps nobody out. If all have requests in work, Node refuses it.
 */
export const keepRoom = (server: Server, most: number): void => {
  // In the order in which they fell silent.
  const silent = new Set<Socket>()
  const inWork = new WeakMap<Socket, number>()
  let connections = 0
  server.maxConnections = most + 1
  server.on("connection", (socket: Socket) => {
    connections++
    silent.add(socket)
    socket.once("close", () => {
      connections--
      silent.delete(socket)
    })
    if (connections <= most) return
    const [longest] = silent
    longest?.destroy()
  })
  const begin = ({ socket }: IncomingMessage, response: ServerResponse) => {
    silent.delete(socket)
    inWork.set(socket, (inWork.get(socket) ?? 0) + 1)
    response.once("close", () => {
      const left = (inWork.get(socket) ?? 1) - 1
      inWork.set(socket, left)
      if (left === 0 && !socket.destroyed) silent.add(socket)
    })
  }
  for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, begin)
}
