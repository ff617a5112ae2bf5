import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { createSocket as createDatagrams } from "node:dgram"
import { createServer, type Server } from "node:http"
import { createServer as createSocketServer } from "node:net"
import { guardedFetch } from "../../../node/src/outgoing/guardedFetch.ts"

let server: Server
let port: number
let requests = 0

beforeAll(async () => {
  server = createServer((request, response) => {
    requests++
    if (request.url === "/moved") return void response.writeHead(302, { location: "/elsewhere" }).end()
    if (request.url === "/nothing") return void response.writeHead(204).end()
    if (request.url === "/silent") return
    const parts: Uint8Array[] = []
    request.on("data", (part: Uint8Array) => parts.push(part))
    request.on("end", () => {
      response.writeHead(200, { "x-twice": ["a", "b"], "content-type": "application/json" })
      const { method, url, headers } = request
      response.end(JSON.stringify({ method, url, sent: headers["x-sent"], body: Buffer.concat(parts).toString() }))
    })
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const address = server.address()
  port = typeof address === "object" && address !== null ? address.port : 0
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const init = (more: object = {}) => ({
  method: "GET",
  headers: {},
  redirect: "manual" as const,
  signal: new AbortController().signal,
  ...more
})

const failureOf = (attempt: Promise<unknown>): Promise<Error> =>
  attempt.then(
    () => assert.fail("connected"),
    (cause: unknown) => (cause instanceof Error ? cause : assert.fail())
  )

describe("guardedFetch, private networks refused", () => {
  const guarded = guardedFetch({ allowPrivate: false })
  for (const host of [
    "127.0.0.1",
    "0x7f.1",
    "2130706433",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "0.0.0.0",
    "localhost",
    "10.0.0.1",
    "169.254.169.254"
  ])
    it(`does not connect to ${host}`, async () => {
      const before = requests
      const failure = await failureOf(guarded(`http://${host}:${port}/`, init()))
      assert.strictEqual(failure.name, "AddressRefused")
      assert.strictEqual(requests, before)
    })
})

describe("guardedFetch, private networks allowed", () => {
  const open = guardedFetch({ allowPrivate: true })
  const url = (path: string) => `http://127.0.0.1:${port}${path}`

  it("sends method, headers and body, and gives the answer", async () => {
    const body = new TextEncoder().encode("Grüße")
    const response = await open(url("/a?b=c"), init({ method: "POST", headers: { "x-sent": "1" }, body }))
    assert.strictEqual(response.status, 200)
    assert.strictEqual(response.headers.get("x-twice"), "a, b")
    assert.deepEqual(await response.json(), { method: "POST", url: "/a?b=c", sent: "1", body: "Grüße" })
  })

  it("reaches a name", async () => {
    assert.strictEqual((await open(`http://localhost:${port}/`, init())).status, 200)
  })

  it("does not follow a redirect", async () => {
    const response = await open(url("/moved"), init())
    assert.strictEqual(response.status, 302)
    assert.strictEqual(response.headers.get("location"), "/elsewhere")
  })

  it("an answer without a body", async () => {
    const response = await open(url("/nothing"), init({ method: "DELETE" }))
    assert.strictEqual(response.status, 204)
    assert.isNull(response.body)
  })

  it("stops when it is told to", async () => {
    const controller = new AbortController()
    const attempt = failureOf(open(url("/silent"), init({ signal: controller.signal })))
    controller.abort()
    assert.strictEqual((await attempt).name, "AbortError")
  })

  const answers: Readonly<Record<string, string>> = {
    "a status that does not exist": "HTTP/1.1 799 Odd\r\ncontent-length: 2\r\n\r\nok",
    "no status": "HTTP/1.1 000 None\r\ncontent-length: 2\r\n\r\nok",
    "what is no HTTP": "SSH-2.0-OpenSSH_9.6\r\n",
    nothing: ""
  }
  for (const [name, answer] of Object.entries(answers))
    it(`fails at ${name}`, async () => {
      const odd = createSocketServer((socket) => socket.end(answer))
      await new Promise<void>((done) => odd.listen(0, "127.0.0.1", done))
      const address = odd.address()
      const oddPort = typeof address === "object" && address !== null ? address.port : 0
      await failureOf(open(`http://127.0.0.1:${oddPort}/`, init()))
      odd.close()
    })

  it("a body that breaks off fails while it is read", async () => {
    const odd = createSocketServer((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok"))
    await new Promise<void>((done) => odd.listen(0, "127.0.0.1", done))
    const address = odd.address()
    const oddPort = typeof address === "object" && address !== null ? address.port : 0
    const response = await open(`http://127.0.0.1:${oddPort}/`, init())
    await failureOf(response.text())
    odd.close()
  })

  it("fails when nobody listens", async () => {
    const failure = await failureOf(open("http://127.0.0.1:1/", init()))
    assert.include(String((failure as NodeJS.ErrnoException).code), "ECONNREFUSED")
  })
})

describe("guardedFetch, names", () => {
  /** The name of a question (RFC 1035, 4.1.2). */
  const nameIn = (question: Buffer): string => {
    const labels: string[] = []
    for (let at = 12; (question[at] ?? 0) > 0; at += (question[at] ?? 0) + 1)
      labels.push(question.toString("latin1", at + 1, at + 1 + (question[at] ?? 0)))
    return labels.join(".")
  }

  it("are looked up while the servers of many others are silent", async () => {
    const asked: string[] = []
    const names = createDatagrams("udp4").on("message", (question, { port, address }) => {
      const name = nameIn(question)
      asked.push(name)
      if (name.endsWith(".silent.test")) return
      // No such name.
      const answer = Buffer.from(question)
      answer.writeUInt16BE(0x8183, 2)
      names.send(answer, port, address)
    })
    await new Promise<void>((done) => names.bind(0, "127.0.0.1", done))
    const guarded = guardedFetch({ allowPrivate: false, nameServers: [`127.0.0.1:${names.address().port}`] })
    const leaving = Array.from({ length: 20 }, () => new AbortController())
    try {
      const silent = leaving.map(({ signal }, index) =>
        failureOf(guarded(`https://${index}.silent.test/`, init({ signal })))
      )
      const failure = await failureOf(guarded("https://quick.test/", init()))
      assert.strictEqual(Reflect.get(failure, "code"), "ENOTFOUND")
      assert.include(asked, "19.silent.test")
      for (const each of leaving) each.abort()
      for (const { name } of await Promise.all(silent)) assert.strictEqual(name, "AbortError")
    } finally {
      names.close()
    }
  })
})
