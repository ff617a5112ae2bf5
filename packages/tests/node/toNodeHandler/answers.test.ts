/** What a handler answers to what is sent over real connections. */
import { assert, describe, it, vi } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { once } from "node:events"
import { type ServerResponse } from "node:http"
import {
  connect,
  createServer as createHttp2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders
} from "node:http2"
import { type AddressInfo, connect as connectSocket } from "node:net"
import { listen } from "../../../../examples/embed-node-http/src/server.ts"
import { writeResponse } from "../../../node/src/http/writeAnswer.ts"
import { type HostRequest, toNodeHandler } from "../../../node/src/index.ts"
import { rawConnection, sendRaw } from "../../cli/gatewarden.ts"
import { answering, authorization, bare, get, instance, managementKey, reasonOf, serve } from "./serving.ts"

describe("toNodeHandler", () => {
  it.live("serves an instance to a plain server, in five lines", () =>
    Effect.gen(function* () {
      const gatewarden = yield* instance
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => listen(gatewarden, 0)),
        (server) => Effect.sync(() => server.close())
      )
      const { port } = server.address() as AddressInfo
      const response = yield* get(port, "/api/v1/workspaces/default")
      assert.strictEqual(response.status, 200)
      assert.strictEqual(
        ((yield* Effect.promise(() => response.json())) as { data: { slug: string } }).data.slug,
        "default"
      )
    })
  )

  it.live("serves HTTP/2, where a body needs no length", () =>
    Effect.gen(function* () {
      const handler = toNodeHandler(yield* instance)
      const server = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const server = createHttp2Server((request, response) =>
            handler(request as unknown as HostRequest, response as unknown as ServerResponse)
          ).listen(0, "127.0.0.1")
          await once(server, "listening")
          return server
        }),
        (server) => Effect.promise(() => new Promise((resolve) => server.close(resolve)))
      )
      const session = yield* Effect.acquireRelease(
        Effect.sync(() => connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
        (session) => Effect.promise(() => new Promise<void>((resolve) => session.close(resolve)))
      )
      const ask = (headers: OutgoingHttpHeaders, body?: string) =>
        Effect.promise(async () => {
          const stream = session.request({ authorization, ...headers }, { endStream: body === undefined })
          if (body !== undefined) stream.end(body)
          const [answered] = (await once(stream, "response")) as [IncomingHttpHeaders]
          let text = ""
          for await (const chunk of stream) text += String(chunk)
          return {
            status: Number(answered[":status"]),
            json: JSON.parse(text) as { readonly data: { readonly name: string } }
          }
        })
      const path = "/api/v1/guardrails"
      const made = yield* ask(
        { ":method": "POST", ":path": path, "content-type": "application/json" },
        '{"name":"over two"}'
      )
      assert.strictEqual(made.status, 200)
      assert.strictEqual(made.json.data.name, "over two")
      assert.strictEqual((yield* ask({ ":path": "/api/v1/workspaces/default" })).status, 200)
      const empty = yield* ask({ ":method": "POST", ":path": path, "content-type": "application/json" })
      assert.strictEqual(empty.status, 400)
    })
  )

  it.live("refuses two Authorization headers with 401, two Host headers with 400", () =>
    Effect.gen(function* () {
      const port = yield* bare
      const start = "GET /api/v1/workspaces/default HTTP/1.1\nHost: localhost"
      const send = (head: string) => Effect.promise(() => sendRaw(port, head))
      assert.strictEqual((yield* send(`${start}\nAuthorization: ${authorization}`)).status, 200)
      for (const second of [authorization, "Bearer other", "Basic eDp5", ""]) {
        for (const pair of [
          [authorization, second],
          [second, authorization]
        ]) {
          const { status, json } = yield* send(`${start}\n${pair.map((value) => `AuthorizatioN: ${value}`).join("\n")}`)
          assert.strictEqual(status, 401, pair.join(" | "))
          assert.strictEqual(reasonOf(json), "malformed_authentication")
        }
      }
      const twice = yield* send(`${start}\nhost: other.example\nAuthorization: ${authorization}`)
      assert.strictEqual(twice.status, 400)
      assert.strictEqual(reasonOf(twice.json), "invalid_header")
    })
  )

  it.live("answers HEAD with the headers of GET and no body", () =>
    Effect.gen(function* () {
      const port = yield* bare
      const head = yield* get(port, "/api/v1/workspaces/default", { method: "HEAD" })
      const full = yield* get(port, "/api/v1/workspaces/default")
      assert.strictEqual(head.status, 200)
      assert.strictEqual(yield* Effect.promise(() => head.text()), "")
      assert.strictEqual(head.headers.get("content-length"), full.headers.get("content-length"))
    })
  )

  it.live("answers in the gateway's form whatever is asked", () =>
    Effect.gen(function* () {
      const port = yield* bare
      const ask = (line: string, more = "Host: localhost") =>
        Effect.promise(() => sendRaw(port, `${line}\n${more}\nAuthorization: ${authorization}`))
      for (const [line, status] of [
        ["TRACE /api/v1/workspaces/default HTTP/1.1", 405],
        ["PUT /api/v1/workspaces/default HTTP/1.1", 405],
        ["GET /api/v1/workspaces/x/../default HTTP/1.1", 404],
        ["GET /api/v1/workspaces/x/%2E./default HTTP/1.1", 404],
        ["GET /api/v1/workspaces/.%2e HTTP/1.1", 404],
        ["GET /api/v1\\workspaces\\default HTTP/1.1", 404],
        ["GET //api/v1/workspaces/default HTTP/1.1", 404],
        ["GET //[/x HTTP/1.1", 404],
        ["OPTIONS * HTTP/1.1", 404],
        ["GET /api/v1/workspaces/default#x HTTP/1.1", 404],
        ["GET http://elsewhere.example/api/v1/workspaces/default HTTP/1.1", 200],
        ["GET /api/v1/workspaces/def%61ult HTTP/1.1", 200]
      ] as const) {
        const answer = yield* ask(line)
        assert.strictEqual(answer.status, status, line)
        assert.isDefined(answer.json, line)
      }
      for (const host of ["a b", "[", "x:99999999", "user@x", ""])
        assert.strictEqual((yield* ask("GET /api/v1/workspaces/default HTTP/1.1", `Host: ${host}`)).status, 200, host)
    })
  )

  it.live("keeps the connection usable after a body that was refused", () =>
    Effect.gen(function* () {
      const connection = rawConnection(yield* bare)
      const big = "x".repeat(1_500_000)
      const request = (path: string, key: string, body: string, more = "") =>
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`
      for (const [key, status] of [
        ["wrong", 401],
        [managementKey, 413]
      ] as const) {
        connection.send(request("/api/v1/guardrails", key, big))
        yield* Effect.promise(() => connection.until((received) => received.includes(`HTTP/1.1 ${status}`)))
      }
      // A body without a length is cut off where it passes the cap.
      const chunk = `${(65_536).toString(16)}\r\n${" ".repeat(65_536)}\r\n`
      connection.send(
        `POST /api/v1/guardrails HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(40)}0\r\n\r\n`
      )
      yield* Effect.promise(() => connection.until((received) => received.split("HTTP/1.1 413").length === 3))
      connection.send(request("/api/v1/guardrails", managementKey, '{"name":"after"}', "Connection: close\r\n"))
      assert.include(yield* Effect.promise(() => connection.end), '"name":"after"')
    })
  )

  it.live("tells the operation when the client hangs up", () =>
    Effect.gen(function* () {
      let signal: AbortSignal | undefined
      const port = yield* answering((request) => {
        signal = request.signal
        return new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(new Error("aborted"))))
      })
      const connection = rawConnection(port)
      connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      yield* Effect.promise(() => vi.waitFor(() => assert.isDefined(signal), { timeout: 30_000 }))
      assert.isFalse(signal?.aborted)
      connection.destroy()
      yield* Effect.promise(() => vi.waitFor(() => assert.isTrue(signal?.aborted), { timeout: 30_000 }))
    })
  )

  it.live("streams an answer as it comes, and stops when nobody listens", () =>
    Effect.gen(function* () {
      let more = (): void => {}
      let cancelled = false
      const port = yield* answering(async () => {
        const parts = ["one", "two"]
        return new Response(
          new ReadableStream<Uint8Array>(
            {
              pull: (controller) => {
                const part = parts.shift()
                if (part !== undefined) return controller.enqueue(new TextEncoder().encode(part))
                return new Promise<void>((resolve) => (more = resolve))
              },
              cancel: () => {
                cancelled = true
              }
            },
            { highWaterMark: 0 }
          )
        )
      })
      const connection = rawConnection(port)
      connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      yield* Effect.promise(() => connection.until((received) => received.includes("two")))
      connection.destroy()
      yield* Effect.promise(() =>
        vi.waitFor(
          () => {
            more()
            assert.isTrue(cancelled)
          },
          { timeout: 30_000 }
        )
      )
    })
  )

  it.live("disconnects a client that takes nothing more of an answer", () =>
    Effect.gen(function* () {
      const stopped = yield* Deferred.make<void>()
      const endless = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        cancel: () => void Effect.runSync(Deferred.succeed(stopped, undefined))
      })
      const port = yield* serve(
        (request, response) => void writeResponse(request, response, new Response(endless), { graceMillis: 20 })
      )
      const socket = yield* Effect.acquireRelease(
        Effect.sync(() =>
          connectSocket(port, "127.0.0.1")
            .on("error", () => {})
            .pause()
        ),
        (socket) => Effect.sync(() => socket.destroy())
      )
      socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      yield* Deferred.await(stopped)
    })
  )

  it.live("answers 500 when the instance throws, and breaks off when it does so midway", () =>
    Effect.gen(function* () {
      const thrown = yield* Effect.promise(async () => undefined).pipe(
        Effect.andThen(answering(() => Promise.reject(new Error("secret detail")))),
        Effect.flatMap((port) => Effect.promise(() => sendRaw(port, "GET / HTTP/1.1\nHost: x")))
      )
      assert.strictEqual(thrown.status, 500)
      assert.strictEqual(reasonOf(thrown.json), "unexpected_failure")
      assert.notInclude(thrown.text, "secret detail")
      let parts = 0
      const port = yield* answering(async () => {
        const body = new ReadableStream<Uint8Array>({
          pull: (controller) =>
            parts++ === 0 ? controller.enqueue(new Uint8Array(10)) : controller.error(new Error("broken"))
        })
        return new Response(body)
      })
      const broken = yield* Effect.promise(() => sendRaw(port, "GET / HTTP/1.1\nHost: x"))
      assert.notInclude(broken.text, "\r\n0\r\n\r\n")
    })
  )

  it.live("passes several Set-Cookie headers on, and leaves a request that was answered alone", () =>
    Effect.gen(function* () {
      const headers = new Headers([
        ["set-cookie", "a=1"],
        ["set-cookie", "b=2"]
      ])
      const { text } = yield* Effect.flatMap(
        answering(async () => new Response(null, { status: 204, headers })),
        (port) => Effect.promise(() => sendRaw(port, "GET / HTTP/1.1\nHost: x"))
      )
      assert.include(text, "set-cookie: a=1\r\nset-cookie: b=2\r\n")
      let called = false
      const handler = toNodeHandler({
        fetch: async () => {
          called = true
          return new Response()
        }
      })
      const port = yield* serve((request, response) => {
        response.end("mine")
        handler(request, response)
      })
      assert.include((yield* Effect.promise(() => sendRaw(port, "GET / HTTP/1.1\nHost: x"))).text, "mine")
      assert.isFalse(called)
    })
  )
})
