/** What becomes of clients that send many requests at once on one connection. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { text } from "node:stream/consumers"
import { inTurn } from "../../../node/src/http/inTurn.ts"
import { refuseUnreadable } from "../../../node/src/http/refuseUnreadable.ts"

interface Pipelined {
  /** Targets that were begun, in their order. */
  readonly begun: string[]
  readonly send: (...requests: readonly string[]) => Socket
}

const get = (url: string, ...headers: readonly string[]): string =>
  [`GET ${url} HTTP/1.1`, "Host: x", ...headers, "", ""].join("\r\n")

const urls = (count: number) => Array.from({ length: count }, (_, index) => `/${index}`)

/** Answers the target, in a later turn of the loop, and fails if that is done for more at once. */
const pipelined = (
  test: (pipelined: Pipelined) => Promise<void>,
  wrap: (listener: RequestListener) => RequestListener = (listener) => listener,
  atOnce = 1
) =>
  Effect.promise(async () => {
    const begun: string[] = []
    let inWork = 0
    const server = createServer(
      wrap((request, response) =>
        inTurn(request, response, () => {
          assert.isAtMost(++inWork, atOnce)
          begun.push(request.url ?? "")
          if (request.url === "/never") return
          setImmediate(() => {
            inWork--
            response.end(`${request.url}\n`)
          })
        })
      )
    )
    server.on("checkContinue", (request, response) => {
      response.shouldKeepAlive = false
      server.emit("request", request, response)
    })
    server.on("clientError", refuseUnreadable({}))
    await once(server.listen(0, "127.0.0.1"), "listening")
    const { port } = server.address() as AddressInfo
    const send = (...requests: readonly string[]) => {
      const socket = connect(port, "127.0.0.1").on("error", () => {})
      socket.write(requests.join(""))
      return socket
    }
    try {
      await test({ begun, send })
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })

const bodies = (answers: string) => answers.match(/^\/\w+$/gm)

describe("inTurn", () => {
  const seventeen = urls(17)
  const requests = seventeen.map((url, index) => (index === 16 ? get(url, "Connection: close") : get(url)))

  it.live("begins the requests of a connection one after another", () =>
    pipelined(async ({ begun, send }) => {
      assert.deepStrictEqual(bodies(await text(send(...requests))), seventeen)
      assert.deepStrictEqual(begun, seventeen)
    })
  )

  it.live("does so where a listener in another one asks for it, too", () =>
    pipelined(
      async ({ send }) => assert.deepStrictEqual(bodies(await text(send(...requests))), seventeen),
      (listener) => (request, response) => inTurn(request, response, () => listener(request, response))
    )
  )

  it.live("counts those that wait, however many the connection has had", () =>
    pipelined(async ({ send }) => {
      const socket = send(...urls(3).map((url) => get(url)))
      let sent = 3
      let answers = ""
      for await (const chunk of socket) {
        answers += String(chunk)
        const answered = bodies(answers)?.length ?? 0
        if (answered === 60) break
        while (sent < Math.min(answered + 3, 60)) socket.write(get(`/${sent++}`))
      }
      assert.deepStrictEqual(bodies(answers), urls(60))
    })
  )

  it.live("disconnects who sends more than a few behind one", () =>
    pipelined(async ({ begun, send }) => {
      await once(send(get("/never"), ...urls(17).map((url) => get(url))).resume(), "close")
      assert.deepStrictEqual(begun, ["/never"])
    })
  )

  it.live("of very many that wait in the process, disconnects who has the most for the longest, and nobody else", () =>
    pipelined(
      async ({ begun, send }) => {
        const waitsBehind = (count: number) => send(get("/never"), ...urls(count).map((url) => get(url)))
        const many = waitsBehind(16).resume()
        while (begun.length < 1) await new Promise((resolve) => setImmediate(resolve))
        const few = Array.from({ length: 32 }, () => waitsBehind(15).resume())
        while (begun.length < 33) await new Promise((resolve) => setImmediate(resolve))
        const cut = once(many, "close")
        for (let asked = 0; asked < 3; asked++) assert.deepStrictEqual(bodies(await text(send(...requests))), seventeen)
        await cut
        assert.isAtLeast(few.filter(({ closed }) => !closed).length, 31)
        for (const socket of few) await once(socket.destroy(), "close")
        assert.deepStrictEqual(bodies(await text(send(...requests))), seventeen)
      },
      undefined,
      Infinity
    )
  )

  it.live("begins nothing behind an answer that ends the connection", () =>
    pipelined(async ({ begun, send }) => {
      assert.deepStrictEqual(bodies(await text(send(get("/a", "Expect: 100-continue"), get("/b"), get("/c")))), ["/a"])
      assert.deepStrictEqual(bodies(await text(send(get("/d"), get("/e"), get("/f", "Connection: close")))), [
        "/d",
        "/e",
        "/f"
      ])
      assert.deepStrictEqual(begun, ["/a", "/d", "/e", "/f"])
    })
  )

  it.live("refuses what is no request, but not in place of an answer that is still to come", () =>
    pipelined(
      async ({ send }) => {
        assert.match(await text(send("garbage\r\n\r\n")), /^HTTP\/1.1 400 /)
        assert.strictEqual(await text(send(get("/never"), "garbage\r\n\r\n")), "")
        const unreadableBody = ["POST /never HTTP/1.1", "Host: x", "Transfer-Encoding: chunked", "", "garbage", ""]
        assert.match(await text(send(unreadableBody.join("\r\n"))), /^HTTP\/1.1 400 /)
        const answered = send(get("/a"))
        await once(answered, "readable")
        answered.write("garbage\r\n\r\n")
        assert.match(await text(answered), /^HTTP\/1.1 200 [^]*HTTP\/1.1 400 /)
      },
      undefined,
      Infinity
    )
  )
})
