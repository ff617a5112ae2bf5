/** What becomes of clients that go on sending behind their answer. */
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { discardRest } from "../../../node/src/http/discardRest.ts"

describe("discardRest", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }))
  afterEach(() => void vi.useRealTimers())

  it.live("ends the connection when the rest has not come in its time", () =>
    Effect.promise(async () => {
      const server = createServer((request, response) => {
        discardRest(request, response)
        response.end("early")
      })
      server.keepAliveTimeout = 0
      await once(server.listen(0, "127.0.0.1"), "listening")
      const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {})
      try {
        socket.write("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        assert.match(String((await once(socket, "data"))[0]), /early/)
        const closed = once(socket.resume(), "close")
        for (let second = 0; second < 60 && !socket.destroyed; second++) {
          socket.write(`64\r\n${"x".repeat(100)}\r\n`)
          for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
          vi.advanceTimersByTime(1_000)
        }
        await closed
      } finally {
        socket.destroy()
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    })
  )
})
