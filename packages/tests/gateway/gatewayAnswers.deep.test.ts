/**
 * The longest answers of providers and the largest bodies of clients do not end a small gateway, and it answers others meanwhile
 * (Rule: requests#answers-in-flight, requests#bodies-in-flight).
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { gateway as program, type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"
import {
  type ChatUpstream,
  completes,
  delta,
  sendEvent,
  startChatUpstream,
  startStream
} from "@gatewarden/testkit/upstream/chatUpstream"

const heapMiB = 256

/** 900 vectors of 3,072 numbers, as a provider writes them. */
const vectors = 900
const vector = JSON.stringify(Array.from({ length: 3_072 }, (_, index) => Math.sin(index + 1) / 50))
const entries = Array.from(
  { length: vectors },
  (_, index) => `{"object":"embedding","index":${index},"embedding":${vector}}`
)
const embeddings = Buffer.from(
  `{"object":"list","data":[${entries.join(",")}],"usage":{"prompt_tokens":5,"total_tokens":5}}`
)
const usage = { prompt_tokens: 5, completion_tokens: 5 }
/** The longest that a heap of this size takes, about. */
const content = "x".repeat(15_000_000)
const hello = [{ role: "user", content: "hello" }]

let upstream: ChatUpstream
let server: ServerProcess
let key: string
beforeAll(async () => {
  upstream = await startChatUpstream()
  upstream.plays("openai", (call, response) => {
    if (call.path === "/embeddings")
      return response.writeHead(200, { "content-length": embeddings.length }).end(embeddings)
    if (call.body["stream"] !== true) return completes(content, usage)(call, response)
    startStream(response)
    // And no more.
    sendEvent(response, delta("word"))
  })
  server = await startServerProcess({
    program,
    environment: {
      DATABASE_URL: "",
      GATEWAY_UPSTREAMS: JSON.stringify({ openai: { base_url: upstream.baseUrl("openai") } }),
      OPENAI_API_KEY: "sk-shared-openai-0123456789",
      NODE_OPTIONS: `--max-old-space-size=${heapMiB}`
    }
  })
  const made = await callServer(server.url, "POST", "/keys", { body: { name: "reader" } })
  key = (made.json as { readonly key: string }).key
}, 120_000)
afterAll(async () => {
  await server?.stop()
  await upstream?.close()
})

const post = (path: string, body: string) =>
  fetch(server.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body
  })

const embed = JSON.stringify({ model: "openai/text-embedding-3-large", input: ["one"] })
const chat = JSON.stringify({ model: "openai/gpt-4o-mini", max_tokens: 10, messages: hello })

/** Asks, and reads nothing of the answer. */
const ask = async (path: string, body: string): Promise<Socket> => {
  const { hostname, port, pathname } = new URL(server.url)
  const socket = connect(Number(port), hostname).on("error", () => {})
  await once(socket, "connect")
  socket.pause()
  const head = `Host: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${body.length}`
  socket.write(`POST ${pathname}${path} HTTP/1.1\r\n${head}\r\n\r\n${body}`)
  return socket
}

const isAlive = async () => {
  assert.strictEqual((await fetch(new URL("/livez", server.url))).status, 200)
  assert.strictEqual((await callServer(server.url, "GET", "/key", { key })).status, 200)
  assert.isNull(server.child.exitCode)
}

describe(`a gateway on a heap of ${heapMiB} MiB`, { timeout: 120_000 }, () => {
  it("passes on long lists of numbers, several at once", async () => {
    const sizes = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const answer = await post("/embeddings", embed)
        assert.strictEqual(answer.status, 200)
        let size = 0
        let last = Buffer.alloc(0)
        for await (const piece of answer.body ?? []) {
          size += piece.length
          last = Buffer.from(piece)
        }
        assert.match(last.toString(), /"model":"openai\/text-embedding-3-large".*\}$/)
        return size
      })
    )
    for (const size of sizes) assert.isAbove(size, embeddings.length)
    await isAlive()
  })

  it("survives answers that nobody reads", async () => {
    const sockets = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        index % 2 === 0 ? ask("/embeddings", embed) : ask("/chat/completions", chat)
      )
    )
    try {
      // One of the key is unread, and no room comes for another.
      await eventually("a refusal of a further answer", async () => {
        const answer = await post("/chat/completions", chat)
        const said = await answer.text()
        return answer.status === 503 && said.includes("answers_in_flight") ? said : undefined
      })
      await isAlive()
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  })

  it("refuses one body that would take more than a third of it", async () => {
    const part = { role: "user", content: `${"x".repeat(7_700_000)}世` }
    const answer = await post(
      "/chat/completions",
      JSON.stringify({ model: "openai/gpt-4o-mini", messages: Array(4).fill(part) })
    )
    assert.strictEqual(answer.status, 413)
    await isAlive()
  })

  it("survives whoever asks for streams and leaves them, and has room for another key", async () => {
    const { json } = await callServer(server.url, "POST", "/keys", { body: { name: "other" } })
    const messages = [{ role: "user", content: "x".repeat(15_000) }]
    const body = JSON.stringify({ model: "openai/gpt-4o-mini", max_tokens: 10, stream: true, messages })
    const statuses = new Set<string>()
    for (let round = 0; round < 60; round++)
      await Promise.all(
        Array.from({ length: 100 }, async () => {
          const socket = (await ask("/chat/completions", body)).resume()
          const [head] = (await once(socket, "data")) as [Buffer]
          statuses.add(head.subarray(9, 12).toString())
          socket.destroy()
        })
      )
    assert.deepEqual([...statuses].sort(), ["200", "429"])
    await isAlive()
    const headers = { authorization: `Bearer ${String(json.key)}`, "content-type": "application/json" }
    const other = await fetch(`${server.url}/chat/completions`, { method: "POST", headers, body })
    assert.strictEqual(other.status, 200)
    await other.body?.cancel()
  })
})
