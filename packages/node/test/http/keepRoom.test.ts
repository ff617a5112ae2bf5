/** Whoever opens many connections and says nothing keeps nobody out. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { keepRoom } from "../../src/http/keepRoom.ts"

const get = (path: string, ...headers: readonly string[]) =>
  [`GET ${path} HTTP/1.1`, "Host: x", ...headers, "", ""].join("\r\n")

describe("keepRoom", () => {
  it.live("gives the place of the longest silent connection away, and none that has a request in work", () =>
    Effect.promise(async () => {
      const held: ServerResponse[] = []
      const server = createServer((request, response) => {
        if (request.url === "/held") held.push(response)
        else if (request.url === "/early") response.writeHead(401).flushHeaders()
        else response.end("answered")
      })
      keepRoom(server, 3)
      await once(server.listen(0, "127.0.0.1"), "listening")
      const { port } = server.address() as AddressInfo
      const open = async (...requests: readonly string[]): Promise<Socket> => {
        const socket = connect(port, "127.0.0.1").on("error", () => {})
        await once(socket, "connect")
        socket.resume().write(requests.join(""))
        return socket
      }
      const closed = (socket: Socket) => once(socket, "close")
      try {
        const working = await open(get("/held"), get("/held"))
        while (held.length < 1) await new Promise((resolve) => setImmediate(resolve))
        const [silent, kept] = [await open(), await open()]
        const ended = closed(silent)
        const next = await open(get("/"))
        await Promise.all([ended, once(next, "data")])
        // The longest silent of those that are left.
        const second = closed(kept)
        const last = await open(get("/"))
        await Promise.all([second, once(last, "data")])
        assert.isFalse(working.closed)
        // Answered, and still sending: they go after the silent ones.
        const early = await open(get("/early", "Content-Length: 9"))
        await once(early, "data")
        const other = await open(get("/held"))
        while (held.length < 3) await new Promise((resolve) => setImmediate(resolve))
        const cut = closed(early)
        const further = await open(get("/"))
        await Promise.all([cut, once(further, "data")])
        assert.isFalse(other.closed)
        for (const response of held) response.end("held")
        assert.include(String(await once(working, "data")), "held")
      } finally {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    })
  )
})
