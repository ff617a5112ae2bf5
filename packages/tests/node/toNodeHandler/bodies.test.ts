/** Bodies as hosts leave them: unread, read, parsed, or put elsewhere. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "node:net"
import { Readable } from "node:stream"
import { gunzipSync, gzipSync } from "node:zlib"
import { toNodeHandler } from "../../../node/src/index.ts"
import { answering, type Echoed, bare, echo, instance, post, serve } from "./serving.ts"

describe("toNodeHandler", () => {
  it.live("takes a body raw, as text, as bytes and parsed", () =>
    Effect.gen(function* () {
      const body = JSON.stringify({ name: "from a body", description: "ünï ☃" })
      const parsers: readonly ((raw: Buffer, request: { body?: unknown; rawBody?: unknown }) => void)[] = [
        (raw, request) => (request.body = JSON.parse(String(raw))),
        (raw, request) => (request.body = String(raw)),
        (raw, request) => (request.body = raw),
        (raw, request) => ((request.body = { name: "not this one" }), (request.rawBody = raw))
      ]
      const plain = yield* post(yield* bare, body)
      assert.strictEqual(plain.status, 200)
      for (const parse of parsers) {
        const handler = toNodeHandler(yield* instance)
        const port = yield* serve(async (request, response) => {
          const chunks: Buffer[] = []
          for await (const chunk of request) chunks.push(chunk as Buffer)
          parse(Buffer.concat(chunks), request as { body?: unknown })
          handler(request, response)
        })
        const { status, json } = yield* post(port, body)
        assert.strictEqual(status, 200)
        assert.strictEqual(json.data.name, "from a body")
        assert.strictEqual(json.data.description, "ünï ☃")
      }
    })
  )

  it.live("prefers the bytes on the wire to what a parser left beside them", () =>
    Effect.gen(function* () {
      const port = yield* echo((request) => Object.assign(request, { body: {} }))
      assert.strictEqual((yield* post(port, '{"a":1,"a":2}')).json.body, '{"a":1,"a":2}')
    })
  )

  it.live("gives a parsed body its own length and no coding", () =>
    Effect.gen(function* () {
      const port = yield* echo(undefined, (raw, request) => (request.body = { name: "inflated", of: raw.length > 0 }))
      const zipped = gzipSync('{"name":"inflated"}')
      const response = yield* Effect.promise(() =>
        fetch(`http://127.0.0.1:${port}/`, {
          method: "POST",
          headers: { "content-type": "application/json", "content-encoding": "gzip" },
          body: zipped
        })
      )
      const seen = (yield* Effect.promise(() => response.json())) as Echoed
      assert.strictEqual(seen.body, '{"name":"inflated","of":true}')
      assert.strictEqual(seen.headers["content-length"], String(seen.body.length))
      assert.notProperty(seen.headers, "content-encoding")
    })
  )

  it.live("takes what was sent for the body, not what a parser puts where there was none", () =>
    Effect.gen(function* () {
      const port = yield* echo(undefined, (_raw, request) => (request.body = {}))
      assert.strictEqual((yield* post(port, "")).json.body, "")
    })
  )

  it.live("reads another stream that the host put in place of the body", () =>
    Effect.gen(function* () {
      const port = yield* echo(undefined, (raw, request) => (request.body = Readable.from([gunzipSync(raw)])))
      const response = yield* Effect.promise(() =>
        fetch(`http://127.0.0.1:${port}/`, {
          method: "POST",
          headers: { "content-type": "application/json", "content-encoding": "gzip" },
          body: gzipSync('{"name":"inflated"}')
        })
      )
      const seen = (yield* Effect.promise(() => response.json())) as Echoed
      assert.strictEqual(seen.body, '{"name":"inflated"}')
      assert.notProperty(seen.headers, "content-encoding")
    })
  )

  it.live("gives up a body that does not arrive as soon as it is told to", () =>
    Effect.gen(function* () {
      const port = yield* answering(async (request) => {
        const reader = request.body?.getReader()
        const first = reader?.read()
        await reader?.cancel()
        return Response.json({ done: (await first)?.done })
      })
      const answer = yield* Effect.promise(
        () =>
          new Promise<string>((resolve) => {
            const socket = connect(port, "127.0.0.1")
            socket.write("POST /api/v1/files HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n")
            socket.once("data", (data) => (resolve(String(data)), socket.destroy()))
          })
      )
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n[^]*\{"done":true\}/)
    })
  )
})
