import { assert, describe, it, vi } from "@effect/vitest"
import { BackgroundJobs, StoreHealth, StoreUnavailable } from "@gatewarden/core/store"
import { defaultSettings, layerMemory, newKeyring, parseKeyring } from "@gatewarden/core/effect"
import { Context, Effect, Exit, Fiber, Layer, Logger, Redacted, References, Scope } from "effect"
import { connect, createServer } from "node:net"
import { once } from "node:events"
import { nodeEntropy } from "../../../node/src/platform/layerPlatform.ts"
import { type ServerOptions, startServer } from "../../../node/src/server/startServer.ts"
import { rawConnection, sendRaw } from "../../cli/gatewarden.ts"

const managementKey = "start-server-management-key-0123456789"
const authorization = `Bearer ${managementKey}`

const keyring = () => {
  const parsed = parseKeyring(Redacted.value(newKeyring("test", nodeEntropy.bytes)))
  if ("problem" in parsed) throw new Error(parsed.problem)
  return parsed.keyring
}

const start = (options: Partial<ServerOptions<never, never>> = {}) =>
  Effect.map(
    startServer({
      store: layerMemory,
      keyring: keyring(),
      managementKey: Redacted.make(managementKey),
      settings: defaultSettings,
      host: "127.0.0.1",
      port: 0,
      ...options
    }),
    (server) => {
      const port = Number(new URL(server.url).port)
      const send = (head: string, body?: string) => Effect.promise(() => sendRaw(port, head, body))
      return {
        ...server,
        port,
        send,
        get: (path: string) => send(`GET ${path} HTTP/1.1\nHost: x\nAuthorization: ${authorization}`)
      }
    }
  )

const docUrlOf = (json: unknown): string =>
  (json as { error: { metadata: { doc_url: string } } }).error.metadata.doc_url
const reasonOf = (json: unknown): string => (json as { error: { metadata: { reason: string } } }).error.metadata.reason

/** A request that has been let in and waits for the rest of its body. */
const halfRequest = async (port: number) => {
  const connection = rawConnection(port)
  const body = '{"name":"finished while draining"}'
  connection.send(
    `POST /api/v1/guardrails HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n` +
      `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`
  )
  await connection.until((received) => received.includes("100 Continue"))
  return { connection, finish: () => connection.send(body.slice(10)) }
}

describe("startServer", () => {
  it.live("sends a stream and a long text without a warning of too many listeners", () =>
    Effect.gen(function* () {
      const { url } = yield* start()
      const warnings: Error[] = []
      const warn = (warning: Error) => void warnings.push(warning)
      process.on("warning", warn)
      const ask = (method: string, path: string, body?: object) =>
        Effect.promise(async () => {
          const headers = { authorization, "content-type": "application/json" }
          const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
          const text = await answer.text()
          assert.strictEqual(answer.status, 200, text)
          return text
        })
      yield* ask("GET", "/gateway/usage-events?start=2026-01-01T00:00:00Z&end=2026-01-02T00:00:00Z")
      const architecture = { input_modalities: ["text"], output_modalities: ["text"] }
      const endpoint = { name: "a", provider_name: "a", provider_slug: "a", tag: "a", context_length: 1, pricing: {} }
      const models = Array.from({ length: 300 }, (_, index) => {
        const id = `a/${index}`
        return { id, name: "b", created: 0, architecture, description: "x".repeat(1_000), endpoints: [endpoint] }
      })
      yield* ask("PUT", "/gateway/catalog", { models })
      assert.isAbove((yield* ask("GET", "/models")).length, 65_536)
      // Warnings come in a turn of their own.
      yield* Effect.promise(() => new Promise(setImmediate))
      process.off("warning", warn)
      assert.deepEqual(warnings, [])
    })
  )

  it.live("answers a long admission as it was asked, to the byte, with its length told", () =>
    Effect.gen(function* () {
      const { url } = yield* start()
      const ask = (method: string, path: string, body: object) =>
        Effect.promise(async () => {
          const headers = { authorization, "content-type": "application/json" }
          const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
          const bytes = await answer.arrayBuffer()
          assert.deepEqual([answer.status, answer.headers.get("content-length")], [200, String(bytes.byteLength)])
          return JSON.parse(new TextDecoder().decode(bytes)) as { data: { hash: string; messages: unknown } }
        })
      const { data } = yield* ask("POST", "/keys", { name: "a" })
      const endpoint = { name: "a", provider_name: "a", provider_slug: "a", tag: "a", context_length: 1, pricing: {} }
      const architecture = { input_modalities: ["text"], output_modalities: ["text"] }
      const model = { id: "a/b", name: "b", created: 0, architecture, endpoints: [endpoint] }
      yield* ask("PUT", "/gateway/catalog", { models: [model] })
      const long = { role: "user", content: "\u{1f600}é\n".repeat(200_000) }
      const messages = [long, ...Array.from({ length: 3_000 }, (_, at) => ({ role: "user", content: `${at}` }))]
      const admission = yield* ask("POST", "/gateway/admissions", { api_key_hash: data.hash, model: "a/b", messages })
      assert.deepStrictEqual(admission.data.messages, messages)
    })
  )

  it.live("says where it listens, and serves there and nowhere else", () =>
    Effect.gen(function* () {
      const { url, get } = yield* start({ settings: { ...defaultSettings, basePath: "/gate" } })
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/gate$/)
      assert.strictEqual((yield* get("/gate/workspaces/default")).status, 200)
      for (const path of ["/workspaces/default", "/api/v1/workspaces/default", "/", "/livez/", "/gate/livez"]) {
        const { status, json } = yield* get(path)
        assert.strictEqual(status, 404, path)
        assert.strictEqual(reasonOf(json), "unknown_path")
      }
    })
  )

  it.live("serves a target in absolute form, whatever its authority (RFC 9112 3.2.2)", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const ask = (target: string) =>
        Effect.promise(async () => {
          const connection = rawConnection(port)
          connection.send(
            `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`
          )
          return connection.end
        })
      for (const target of ["/api/v1/keys?limit=1", "/livez", "/readyz?verbose"])
        assert.match(yield* ask(`http://gateway.example:81${target}`), /^HTTP\/1\.1 200 OK\r\n/, target)
      for (const target of ["http://gateway.example/api/v1/unknown", "http://x", "ftp://x/livez"])
        assert.match(yield* ask(target), /^HTTP\/1\.1 404 [^]*unknown_path/, target)
    })
  )

  it.live("answers HEAD with the head of GET, and a body alike whether it is read at once or as it arrives", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const ask = (request: string) =>
        Effect.promise(async () => {
          const connection = rawConnection(port)
          connection.send(request)
          return connection.end
        })
      const head = (line: string, more = "") =>
        `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nConnection: close\r\n${more}\r\n`
      const lengthOf = (answer: string) => /\r\ncontent-length: (\d+)/i.exec(answer)?.[1]
      const got = yield* ask(head("GET /api/v1/workspaces/default"))
      const headed = yield* ask(head("HEAD /api/v1/workspaces/default"))
      assert.match(headed, /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n$/)
      assert.strictEqual(lengthOf(headed), lengthOf(got))
      assert.strictEqual(got.split("\r\n\r\n")[1]?.length, Number(lengthOf(got)))

      const json = "Content-Type: application/json\r\nSet-Cookie: a=1\r\n"
      for (const padding of [0, 100_000]) {
        const body = `{"name":"padded"${" ".repeat(padding)}}`
        const sent = head("POST /api/v1/guardrails", `${json}Content-Length: ${body.length}\r\n`) + body
        assert.match(yield* ask(sent), /^HTTP\/1\.1 200 OK\r\n[^]*"name":"padded"/)
        const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
        assert.match(
          yield* ask(head("POST /api/v1/guardrails", `${json}Transfer-Encoding: chunked\r\n`) + chunks),
          /^HTTP\/1\.1 200 OK\r\n[^]*"name":"padded"/
        )
        const refused = head(
          "POST /api/v1/guardrails",
          `Content-Type: text/plain\r\nContent-Length: ${body.length}\r\n`
        )
        assert.match(yield* ask(refused + body), /^HTTP\/1\.1 415 [^]*unsupported_media_type/)
      }
    })
  )

  it.live("reads a connection's next request after a body that nobody wanted", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const body = "x".repeat(50_000)
      const answers = yield* Effect.promise(async () => {
        const connection = rawConnection(port)
        connection.send(`POST /api/v1/guardrails HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
        await connection.until((received) => received.includes("missing_authentication"))
        connection.send(
          `GET /api/v1/workspaces/default HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`
        )
        return connection.end
      })
      assert.deepEqual(
        Array.from(answers.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status),
        ["401", "200"]
      )
    })
  )

  it.live("lets a client that writes everything before it reads see why a long body was refused", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const length = 64 * 1024 * 1024
      const head = `POST /api/v1/files HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\n`
      for (const framing of [`Content-Length: ${length}\r\n`, "Transfer-Encoding: chunked\r\n"]) {
        const answer = yield* Effect.promise(async () => {
          const socket = connect(port, "127.0.0.1").setEncoding("latin1").pause()
          const problem = await new Promise<Error | null | undefined>((resolve) => {
            socket.once("error", resolve)
            socket.write(`${head}${framing}\r\n`)
            if (framing.startsWith("Transfer")) socket.write(`${length.toString(16)}\r\n`)
            socket.write(Buffer.alloc(length), resolve)
          })
          assert.isNotOk(problem, String(problem))
          socket.write(framing.startsWith("Transfer") ? "\r\n0\r\n\r\n" : "")
          let received = ""
          for await (const text of socket) {
            received += String(text)
            if (received.endsWith("}")) break
          }
          return received
        })
        assert.match(answer, /^HTTP\/1\.1 401 [^]*missing_authentication/)
      }
    })
  )

  it.live("treats duplicate headers as the embedded handler does", () =>
    Effect.gen(function* () {
      const { send, get } = yield* start()
      const line = "GET /api/v1/workspaces/default HTTP/1.1"
      assert.strictEqual((yield* get("/api/v1/workspaces/default")).status, 200)
      for (const pair of [
        [authorization, "Bearer x"],
        ["Bearer x", authorization],
        [authorization, authorization],
        [authorization, ""],
        ["", authorization]
      ]) {
        const { status, json } = yield* send(
          `${line}\nHost: x\n${pair.map((value) => `AUTHORIZATION: ${value}`).join("\n")}`
        )
        assert.strictEqual(status, 401, pair.join(" | "))
        assert.strictEqual(reasonOf(json), "malformed_authentication")
      }
      const { status, json } = yield* send(`${line}\nHost: x\nHOST: y\nAuthorization: ${authorization}`)
      assert.strictEqual(status, 400)
      assert.strictEqual(reasonOf(json), "invalid_header")
    })
  )

  it.live("answers requests of HTTP/1.0 without a Host, and refuses those of HTTP/1.1 in the gateway's form", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      const of = (version: string) =>
        send(`GET /api/v1/workspaces/default HTTP/${version}\nAuthorization: ${authorization}`)
      assert.strictEqual((yield* of("1.0")).status, 200)
      const { status, json } = yield* of("1.1")
      assert.strictEqual(status, 400)
      assert.strictEqual(reasonOf(json), "invalid_header")
    })
  )

  it.live("asks for a body that was announced only once the caller was let in", () =>
    Effect.gen(function* () {
      const { port, send } = yield* start()
      const body = '{"name":"announced"}'
      const announced = (headers: string, length = body.length) =>
        `POST /api/v1/guardrails HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n` +
        `Content-Length: ${length}\r\n${headers}\r\n`
      const allowed = `Authorization: ${authorization}\r\n`
      for (const [head, status] of [
        [announced(""), 401],
        [announced("", 100_000), 401],
        [announced(allowed, 2_000_000), 413]
      ] as const) {
        const connection = rawConnection(port)
        connection.send(head)
        // Nobody knows whether the body comes all the same, so nothing can come after it.
        const answer = yield* Effect.promise(() => connection.end)
        assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} [^]*connection: close`, "i"))
      }
      for (const [length, padding] of [
        [body.length, ""],
        [100_000, " ".repeat(100_000 - body.length)]
      ] as const) {
        const connection = rawConnection(port)
        connection.send(announced(allowed, length))
        yield* Effect.promise(() => connection.until((received) => received === "HTTP/1.1 100 Continue\r\n\r\n"))
        connection.send(body + padding)
        yield* Effect.promise(() => connection.until((received) => received.includes('"name":"announced"')))
        connection.send("GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert.include(yield* Effect.promise(() => connection.end), '{"status":"ok"}')
      }
      assert.strictEqual((yield* send("GET /livez HTTP/1.1\nHost: x\nExpect: the-unexpected")).status, 200)
    })
  )

  it.live("answers what is no HTTP in the gateway's form", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      const long = yield* send(`GET / HTTP/1.1\nHost: x\nX-Long: ${"x".repeat(20_000)}`)
      assert.strictEqual(long.status, 400)
      assert.include(long.text, "headers_too_large")
      for (const head of [
        "GET / HTTP/1.1\nno colon here",
        "nonsense",
        "POST / HTTP/1.1\nHost: x\nContent-Length: 1\nContent-Length: 2"
      ]) {
        const { status, json } = yield* send(head)
        assert.strictEqual(status, 400, head)
        assert.strictEqual(reasonOf(json), "invalid_header")
        assert.strictEqual(docUrlOf(json), "/api/v1/errors/invalid_header")
      }
    })
  )

  it.live("leads to its pages on errors from where the operations are and from elsewhere", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      for (const [head, doc_url] of [
        ["GET /api/v1/guardrails/1 HTTP/1.1\nHost: x", "../errors/missing_authentication"],
        ["GET /nothing HTTP/1.1\nHost: x", "api/v1/errors/unknown_path"],
        ["POST /readyz HTTP/1.1\nHost: x", "api/v1/errors/method_not_allowed"],
        ["GET /api/v1/key HTTP/1.1", "errors/invalid_header"]
      ] as const)
        assert.strictEqual(docUrlOf((yield* send(head)).json), doc_url, head)
      const { status, text } = yield* send("GET /api/v1/errors/unknown_path HTTP/1.1\nHost: x")
      assert.strictEqual(status, 200)
      assert.include(text, "content-type: text/html; charset=utf-8")
    })
  )

  it.live("answers its probes without credentials, and HEAD without a body", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      for (const path of ["/livez", "/readyz", "/readyz?verbosely"]) {
        const { status, json, text } = yield* send(`GET ${path} HTTP/1.1\nHost: x\nX-Request-Id: my.id`)
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(json, { status: "ok" })
        assert.include(text, "x-request-id: my.id")
        assert.isUndefined((yield* send(`HEAD ${path} HTTP/1.1\nHost: x`)).json)
        const refused = yield* send(`POST ${path} HTTP/1.1\nHost: x`)
        assert.strictEqual(refused.status, 405)
        assert.include(refused.text, "allow: GET, HEAD")
      }
    })
  )

  it.live("tells how background work is doing", () =>
    Effect.gen(function* () {
      const { get, services } = yield* start()
      const deliveries = { waiting_events: 0, oldest_seconds: null, destinations: [] }
      assert.deepStrictEqual((yield* get("/readyz?verbose")).json, { status: "ok", background: [], deliveries })
      const jobs = Context.get(services, BackgroundJobs)
      const { turn } = yield* jobs.claim(["a"], 3)
      if (turn !== undefined) yield* jobs.finish(turn, { failed: true, due_in_seconds: 60 })
      assert.deepStrictEqual((yield* get("/readyz?verbose")).json, {
        status: "ok",
        background: [{ job: "a", age_seconds: null, lag_seconds: 0, failures: 1 }],
        deliveries
      })
    })
  )

  it.live("is not ready while the store does not answer, and is again when it does", () =>
    Effect.gen(function* () {
      let down = false
      const ping = Effect.suspend(() => (down ? Effect.die(new StoreUnavailable({})) : Effect.void))
      const { get } = yield* start({
        store: Layer.merge(layerMemory, Layer.succeed(StoreHealth, StoreHealth.of({ ping })))
      })
      assert.strictEqual((yield* get("/readyz")).status, 200)
      down = true
      const { status, json } = yield* get("/readyz")
      assert.strictEqual(status, 503)
      assert.strictEqual(reasonOf(json), "store_unavailable")
      assert.strictEqual((yield* get("/livez")).status, 200)
      down = false
      assert.strictEqual((yield* get("/readyz")).status, 200)
    })
  )

  it.live("drains: refuses what is new, finishes what is in flight, then closes", () =>
    Effect.gen(function* () {
      const server = yield* start()
      const { connection, finish } = yield* Effect.promise(() => halfRequest(server.port))
      const draining = yield* Effect.forkChild(server.drain)
      yield* Effect.yieldNow
      const ready = yield* server.get("/readyz")
      assert.strictEqual(ready.status, 503)
      assert.strictEqual(reasonOf(ready.json), "draining")
      const refused = yield* server.get("/api/v1/workspaces/default")
      assert.strictEqual(refused.status, 503)
      assert.strictEqual(reasonOf(refused.json), "draining")
      assert.match(refused.text, /retry-after: \d+/)
      assert.strictEqual((yield* server.get("/livez")).status, 200)
      assert.isUndefined(draining.pollUnsafe())
      finish()
      assert.include(
        yield* Effect.promise(() => connection.until((text) => text.includes("finished while draining"))),
        "HTTP/1.1 200"
      )
      yield* Fiber.join(draining)
      assert.strictEqual(yield* server.get("/livez").pipe(Effect.map(({ text }) => text)), "")
    })
  )

  it.live("waits no longer than it is told to", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const server = yield* Scope.provide(start({ drainTimeout: "50 millis" }), scope)
      const { connection } = yield* Effect.promise(() => halfRequest(server.port))
      yield* server.drain
      yield* Scope.close(scope, Exit.void)
      assert.notInclude(yield* Effect.promise(() => connection.end), "HTTP/1.1 200")
    })
  )

  it.live("fails with exit code 69 when the address is taken", () =>
    Effect.gen(function* () {
      const holder = createServer().listen(0, "127.0.0.1")
      yield* Effect.promise(() => once(holder, "listening"))
      const address = holder.address()
      const error = yield* Effect.flip(
        start({ port: typeof address === "object" && address !== null ? address.port : 0 })
      )
      assert.strictEqual(error.exitCode, 69)
      assert.include(error.message, "EADDRINUSE")
      holder.close()
    })
  )

  it.live("does not listen before it is prepared, nor when that fails", () =>
    Effect.gen(function* () {
      let reached = false
      const error = yield* Effect.flip(
        start({
          prepare: (key) => {
            assert.isUndefined(key)
            reached = true
            return Effect.die(new Error("no catalog"))
          }
        }).pipe(Effect.catchDefect(Effect.fail))
      )
      assert.isTrue(reached)
      assert.include(String(error), "no catalog")
    })
  )

  it.live("writes one line per request at debug level, without the path, the query or a key", () =>
    Effect.gen(function* () {
      const lines: unknown[] = []
      const logs = Layer.mergeAll(
        Logger.layer([Logger.make(({ message }) => void lines.push(message))]),
        Layer.succeed(References.MinimumLogLevel, "Debug" as const)
      )
      const server = yield* Effect.provide(start(), logs)
      yield* server.get("/api/v1/workspaces/default?token=s3cret")
      yield* server.get("/api/v1/workspaces/s3cret")
      yield* server.get("/s3cret")
      yield* server.get("/livez")
      yield* Effect.promise(() => vi.waitFor(() => assert.lengthOf(lines, 4), { timeout: 30_000 }))
      const text = JSON.stringify(lines)
      assert.include(text, '"route":"/api/v1/workspaces/:id","status":200')
      assert.include(text, '"route":"/api/v1/workspaces/:id","status":404')
      assert.include(text, '"method":"GET","status":404')
      assert.include(text, '"route":"/livez","status":200')
      assert.notInclude(text, "s3cret")
      assert.notInclude(text, managementKey)
    })
  )
})
