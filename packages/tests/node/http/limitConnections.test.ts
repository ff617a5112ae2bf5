/** Whoever opens many connections and says nothing keeps nobody out. */
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { EventEmitter, once } from "node:events"
import { createServer, type Server, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { limitConnections } from "../../../node/src/http/limitConnections.ts"

const get = (path: string, ...headers: readonly string[]) =>
  [`GET ${path} HTTP/1.1`, "Host: x", ...headers, "", ""].join("\r\n")

describe("limitConnections", () => {
  it.live("gives the place of the longest silent connection away, and none that has a request in work", () =>
    Effect.promise(async () => {
      const held: ServerResponse[] = []
      const server = createServer((request, response) => {
        if (request.url === "/held") held.push(response)
        else if (request.url === "/early") response.writeHead(401).flushHeaders()
        else response.end("answered")
      })
      limitConnections(server, 3)
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

/** A connection whose client takes what the test says. */
class Client extends EventEmitter {
  bytesRead = 0
  bytesWritten = 0
  writableLength = 0
  destroyed = false
  destroy(): void {
    this.destroyed = true
    this.emit("close")
  }
  /** So much of an answer is handed over, and so much of that taken. */
  answer(written: number, taken: number): void {
    this.bytesWritten += written
    this.writableLength += written - taken
  }
  take(bytes: number): void {
    this.writableLength -= bytes
  }
}

describe("limitConnections, of clients that read slowly", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const room = (most: number) => {
    const server = new EventEmitter()
    limitConnections(server as Server, most)
    const connect = (): Client => {
      const client = new Client()
      server.emit("connection", client)
      return client
    }
    const ask = (client: Client): EventEmitter & { headersSent: boolean } => {
      const request = { socket: client, complete: true }
      const response = Object.assign(new EventEmitter(), { headersSent: false, req: request })
      server.emit("request", request, response)
      return response
    }
    return {
      connect,
      ask,
      reads: () => {
        const client = connect()
        const response = ask(client)
        response.headersSent = true
        client.answer(1_000_000, 100_000)
        return client
      }
    }
  }
  const pass = (millis: number) => vi.advanceTimersByTime(millis)

  it("gives their places away, the slowest first, when there is no other", () => {
    const { connect, ask, reads } = room(4)
    const working = connect()
    ask(working)
    const [none, little, enough] = [reads(), reads(), reads()]
    pass(1_900)
    assert.isTrue(connect().destroyed)
    for (let second = 0; second < 4; second++) {
      pass(1_000)
      little.take(20_000)
      enough.take(100_000)
    }
    const newcomers: Client[] = []
    for (const slow of [none, little]) {
      const newcomer = connect()
      newcomers.push(newcomer)
      ask(newcomer)
      assert.isTrue(slow.destroyed)
      assert.isFalse(newcomer.destroyed)
    }
    assert.isTrue(connect().destroyed)
    for (const kept of [working, enough, ...newcomers]) assert.isFalse(kept.destroyed)
  })

  it("gives none away while there is room, or a silent one", () => {
    const { connect, reads } = room(4)
    const slow = [reads(), reads(), reads()]
    const silent = connect()
    pass(60_000)
    connect()
    assert.isTrue(silent.destroyed)
    for (const one of slow) assert.isFalse(one.destroyed)
  })

  it("sees whoever stops after a fast beginning", () => {
    const { connect, ask, reads } = room(2)
    const stopped = reads()
    ask(connect())
    stopped.answer(100_000_000, 99_000_000)
    pass(5_000)
    assert.isFalse(connect().destroyed)
    assert.isTrue(stopped.destroyed)
  })

  it("does not count the time in which nothing waited for them", () => {
    const { connect, reads } = room(1)
    const stream = reads()
    pass(1_000)
    stream.take(stream.writableLength)
    pass(60_000)
    stream.answer(1_000, 0)
    assert.isTrue(connect().destroyed)
    assert.isFalse(stream.destroyed)
  })

  it("sees those whose further requests wait behind what they do not read", () => {
    const { connect, ask, reads } = room(1)
    const stuck = reads()
    ask(stuck)
    pass(3_000)
    assert.isFalse(connect().destroyed)
    assert.isTrue(stuck.destroyed)
  })
})
