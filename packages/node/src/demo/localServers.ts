/** Servers of the demonstration, on free ports of this machine. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"

export interface Listening {
  readonly url: string
  readonly close: () => void
}

/** A call that waits on a busy machine would meet a connection that is closed after the usual five seconds. */
const keepAliveTimeout = 300_000

export const listenAt = async (listener: RequestListener): Promise<Listening> => {
  const server: Server = createServer({ keepAliveTimeout }, listener).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

export const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const piece of request.setEncoding("utf8")) text += piece
  return text
}
