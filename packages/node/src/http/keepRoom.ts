import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/**
 * Keeps a server to so many connections: a further one takes the place of the connection that has waited longest without a request in work,
 * so that whoever opens many and says nothing keeps nobody out. After these go connections whose answers have begun while their requests
 * have not ended: their bodies are only read to be thrown away. If all others have requests in work, it is refused.
 */
export const keepRoom = (server: Server, most: number): void => {
  // In the order in which they fell silent.
  const silent = new Set<Socket>()
  const inWork = new Map<Socket, Set<ServerResponse>>()
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
    if (longest === socket) (answered() ?? socket).destroy()
    else longest?.destroy()
  })
  const answered = (): Socket | undefined => {
    for (const [socket, responses] of inWork)
      if ([...responses].every(({ headersSent, req }) => headersSent && !req.complete)) return socket
    return undefined
  }
  const begin = ({ socket }: IncomingMessage, response: ServerResponse) => {
    silent.delete(socket)
    const responses = inWork.get(socket) ?? new Set()
    inWork.set(socket, responses.add(response))
    response.once("close", () => {
      responses.delete(response)
      if (responses.size > 0) return
      inWork.delete(socket)
      if (!socket.destroyed) silent.add(socket)
    })
  }
  for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, begin)
}
