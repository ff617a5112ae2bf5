/** Connections as a real server sees them: which requests share one, and which do not. */
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo, LookupFunction, Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import { type AllowedAddresses, fetchAllowed } from "../../../node/src/outgoing/fetchAllowed.ts"
import { selfSigned } from "./selfSigned.ts"

const name = "platform.example"
const { key, cert } = selfSigned(name)

/** What each request was: its connection, counted from 1, and its body. */
interface Seen {
  readonly connection: number
  readonly path: string
  readonly body: string
}

const party = (connectionsOf: string, body: string | ReadableStream<Uint8Array> = "") => ({
  method: "POST",
  headers: {},
  redirect: "manual" as const,
  duplex: "half" as const,
  signal: new AbortController().signal,
  connectionsOf,
  body: typeof body === "string" ? new TextEncoder().encode(body) : body
})

/** Connections wait as long as they may and grow no older, however slow the machine is. */
const unhurried = { idleMillis: 49_000, now: () => 0 }

/** More than the buffers of a kernel hold. */
const hugeBytes = 50_000_000

/** So many rounds of the event loop. */
const turns = async (count: number): Promise<void> => {
  for (let round = 0; round < count; round++) await new Promise((next) => setImmediate(next))
}

const failureOf = (attempt: Promise<unknown>): Promise<Error> =>
  attempt.then(
    () => assert.fail("answered"),
    (cause: unknown) => (cause instanceof Error ? cause : assert.fail())
  )

const reaching = { lookups: 0 }
const lookup: LookupFunction = (_, __, callback) => {
  reaching.lookups++
  callback(null, [{ address: "127.0.0.1", family: 4 }])
}

for (const scheme of ["http", "https"] as const)
  describe(`connections of ${scheme}`, () => {
    let server: Server
    let base: string
    let sockets: Socket[] = []
    let seen: Seen[] = []
    let written = 0
    /** What the server does with a request, other than to answer it. */
    const oddly: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
      "/half": (_, response) => response.writeHead(200, { "content-length": 100_000 }).write("half"),
      "/silent": () => {},
      "/odd": ({ socket }) => socket.write("HTTP/1.1 799 Odd\r\ncontent-length: 2\r\n\r\nok"),
      "/nothing": (_, response) => response.writeHead(204).end(),
      "/closing": (_, response) => response.writeHead(200, { connection: "close" }).end(),
      "/filled": (_, response) => response.end("x".repeat(100_000), () => server.emit("filled")),
      "/huge": async (_, response) => {
        for (written = 0; written < hugeBytes; written += 100_000)
          if (!response.write("x".repeat(100_000))) await once(response, "drain")
        response.end()
      },
      "/large": (_, response) => response.end("x".repeat(1_000_000))
    }
    /** Closes the connection at the next so many requests, having written so much of an answer. */
    let closing: { times: number; readonly written: string } = { times: 0, written: "" }

    const connectionOf = (socket: Socket): number => sockets.indexOf(socket) + 1
    const answer = (request: IncomingMessage, response: ServerResponse) => {
      let body = ""
      request.setEncoding("utf8").on("data", (piece: string) => (body += piece))
      request.on("end", () => {
        const path = request.url ?? ""
        seen.push({ connection: connectionOf(request.socket), path, body })
        if (closing.times > 0) {
          closing.times--
          request.socket.write(closing.written)
          return request.socket.destroySoon()
        }
        const odd = oddly[path]
        if (odd === undefined) response.end(`answer to ${body}`)
        else odd(request, response)
      })
    }

    beforeAll(async () => {
      server = scheme === "http" ? createServer(answer) : (createTlsServer({ key, cert }, answer) as unknown as Server)
      server.keepAliveTimeout = 60_000
      server.on(scheme === "http" ? "connection" : "secureConnection", (socket: Socket) => {
        sockets.push(socket)
        // The client's end keeps the process alive, or nothing.
        ;((socket as TLSSocket & { _parent?: Socket })._parent ?? socket).unref()
        socket.unref()
      })
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
      base = `${scheme}://${name}:${(server.address() as AddressInfo).port}`
    })
    afterEach(() => {
      server.closeAllConnections()
      sockets = []
      seen = []
      closing = { times: 0, written: "" }
    })
    afterAll(() => void server.close())

    const open = (more: Partial<AllowedAddresses> = {}) => {
      const fetch = fetchAllowed({
        allows: (address) => address === "127.0.0.1",
        lookup,
        ca: cert,
        ...unhurried,
        ...more
      })
      return (path: string, init: Partial<ReturnType<typeof party>> = party("one")) =>
        fetch(`${base}${path}`, { ...party("one"), ...init } as Parameters<typeof fetch>[1])
    }
    const text = async (response: Promise<Response>): Promise<string> => (await response).text()
    const connections = () => seen.map(({ connection }) => connection)
    const closed = (socket: Socket | undefined) =>
      new Promise<void>((done) => (socket?.destroyed === true ? done() : socket?.once("close", () => done())))

    it("are used again by the requests of a party, in their order", async () => {
      const send = open()
      const { lookups } = reaching
      for (const body of ["a", "b".repeat(300_000), "c"])
        assert.strictEqual(await text(send("/", party("one", body))), `answer to ${body}`)
      assert.strictEqual((await send("/nothing")).status, 204)
      await text(send("/large"))
      await text(send("/"))
      assert.deepEqual(connections(), [1, 1, 1, 1, 1, 1])
      assert.deepEqual(
        seen.map(({ body }) => body[0]),
        ["a", "b", "c", undefined, undefined, undefined]
      )
      assert.strictEqual(reaching.lookups, lookups + 1)
    })

    it("are not shared with another party, a stream, a request without a party or another rule", async () => {
      const send = open()
      await text(send("/"))
      await text(send("/", party("two")))
      await text(send("/", party("one", new Response("stream").body ?? assert.fail())))
      const { connectionsOf: _, ...alone } = party("one")
      const own = fetchAllowed({ allows: () => true, lookup, ca: cert })
      await text(own(`${base}/`, alone))
      await text(own(`${base}/`, alone))
      await text(open({ allows: () => true })("/"))
      await text(send("/"))
      assert.deepEqual(connections(), [1, 2, 3, 4, 5, 6, 1])
      assert.strictEqual(seen[2]?.body, "stream")
    })

    it("end with an answer that is not read, not complete or none", async () => {
      const send = open()
      const aborted = new AbortController()
      const waiting = failureOf(send("/silent", { signal: aborted.signal }))
      while (seen.length === 0) await once(server, "request")
      aborted.abort()
      assert.strictEqual((await waiting).name, "AbortError")
      await closed(sockets[0])
      for (const path of ["/half", "/large"]) {
        const reader = (await send(path)).body?.getReader()
        await reader?.read()
        await reader?.cancel()
        await closed(sockets.at(-1))
      }
      const reading = new AbortController()
      const half = await send("/half", { signal: reading.signal })
      reading.abort()
      await failureOf(half.text())
      // All of it has arrived, and most of it was not read.
      const dropping = new AbortController()
      const filled = once(server, "filled")
      const dropped = await send("/filled", { signal: dropping.signal })
      await filled
      await turns(20)
      dropping.abort()
      await failureOf(dropped.text())
      await failureOf(send("/odd"))
      await text(send("/closing"))
      await text(send("/"))
      assert.deepEqual(connections(), [1, 2, 3, 4, 5, 6, 7, 8])
    })

    it("end when the server sends what was not asked for", async () => {
      const send = open()
      await text(send("/"))
      await turns(20)
      sockets[0]?.write("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx")
      await closed(sockets[0])
      assert.strictEqual(await text(send("/")), "answer to ")
      assert.deepEqual(connections(), [1, 2])
    })

    it("that the server closed meanwhile are replaced by one of the request's own", async () => {
      const send = open()
      await text(send("/"))
      closing = { times: 1, written: "" }
      assert.strictEqual(await text(send("/", party("one", "again"))), "answer to again")
      assert.deepEqual(seen, [
        { connection: 1, path: "/", body: "" },
        { connection: 1, path: "/", body: "again" },
        { connection: 2, path: "/", body: "again" }
      ])
    })

    it("that fail after a byte of the answer, when they are new, a second time or for good, fail the request", async () => {
      const send = open()
      closing = { times: 1, written: "" }
      await failureOf(send("/new"))
      await text(send("/"))
      closing = { times: 1, written: "HTTP/1.1 2" }
      await failureOf(send("/byte"))
      await text(send("/"))
      closing = { times: 2, written: "" }
      await failureOf(send("/twice"))
      await text(send("/"))
      const aborted = new AbortController()
      oddly["/abort"] = ({ socket }) => {
        aborted.abort()
        socket.destroy()
      }
      await failureOf(send("/abort", { signal: aborted.signal }))
      const count = (path: string) => seen.filter((one) => one.path === path).length
      assert.deepEqual(["/new", "/byte", "/twice", "/abort"].map(count), [1, 1, 2, 1])
    })

    it("carry no more of an answer than its reader takes", async () => {
      const response = await open()("/huge")
      for (let before = -1; before !== written;) {
        before = written
        await turns(50)
      }
      assert.isBelow(written, hugeBytes)
      assert.lengthOf(await response.text(), hugeBytes)
    })

    it("that nobody uses are closed", async () => {
      const send = open({ idleMillis: 1 })
      await text(send("/"))
      await closed(sockets[0])
      await text(send("/"))
      assert.deepEqual(connections(), [1, 2])
    })

    it("are used for less than a minute, and the name is looked up again", async () => {
      const clock = { now: 0 }
      const send = open({ idleMillis: 30_000, now: () => clock.now })
      const { lookups } = reaching
      // The process does nothing for a minute before the last two.
      for (const now of [0, 19_999, 20_000, 50_000, 50_001, 110_000, 110_001]) {
        clock.now = now
        await text(send("/"))
      }
      assert.deepEqual(connections(), [1, 1, 1, 2, 2, 3, 4])
      assert.strictEqual(reaching.lookups, lookups + 4)
    })

    it("are not used once their address is no longer allowed", async () => {
      let isAllowed = true
      const send = open({ allows: () => isAllowed })
      await text(send("/"))
      isAllowed = false
      assert.strictEqual((await failureOf(send("/"))).name, "AddressRefused")
      isAllowed = true
      await text(send("/"))
      assert.deepEqual(connections(), [1, 2])
    })

    it("are few while nobody uses them, of a party and of all", { tags: ["deep"] }, async () => {
      const send = open()
      const together = async (parties: readonly string[]) => {
        await Promise.all(parties.map((one) => text(send("/", party(one)))))
        while (sockets.filter(({ destroyed }) => !destroyed).length > 64) await once(server, "closed")
      }
      server.on("connection", (socket: Socket) => socket.on("close", () => server.emit("closed")))
      await Promise.all([1, 2, 3].map(() => text(send("/"))))
      while (sockets.every(({ destroyed }) => !destroyed)) await once(server, "closed")
      assert.lengthOf(
        sockets.filter(({ destroyed }) => !destroyed),
        2
      )
      await together(Array.from({ length: 70 }, (_, index) => `party ${index}`))
      assert.lengthOf(
        sockets.filter(({ destroyed }) => !destroyed),
        64
      )
    })

    it("keep no process alive", async () => {
      const alive = () => process.getActiveResourcesInfo().filter((type) => type === "TCPSocketWrap").length
      const before = alive()
      const send = open()
      await text(send("/"))
      assert.isFalse(sockets[0]?.destroyed)
      assert.strictEqual(alive(), before)
    })

    if (scheme === "https")
      it("are opened to servers with a certificate only", async () => {
        await failureOf(open({ ca: selfSigned(name).cert })("/"))
        await failureOf(open({ ca: undefined })("/"))
        assert.deepEqual(seen, [])
      })
  })
