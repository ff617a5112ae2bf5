/**
 * The largest pages of lists, asked for by many clients that read nothing, do not end a small server: it refuses further long answers and
 * answers the others (Rule: requests#lists, requests#answers-in-flight).
 */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { callServer } from "../../src/server/callServer.ts"
import { eventually } from "../../src/server/eventually.ts"
import { managementKey, type ServerProcess, startServerProcess } from "../../src/server/serverProcess.ts"

const heapMiB = 512
const readers = 50
/** Of about 900 kB each, so that five exceed a page. */
const entries = 30

const lists = {
  listPresetVersions: "/presets/long/versions?limit=100",
  listGuardrails: "/guardrails?limit=100"
}

let server: ServerProcess
let key: string
beforeAll(async () => {
  server = await startServerProcess({
    environment: { DATABASE_URL: "", NODE_OPTIONS: `--max-old-space-size=${heapMiB}` }
  })
  const made = await callServer(server.url, "POST", "/keys", { body: { name: "reader" } })
  key = (made.json as { key: string }).key
  const content = "x".repeat(900_000)
  const content_filters = Array.from({ length: 90 }, () => ({ pattern: "x".repeat(9_960), action: "block" }))
  for (let index = 0; index < entries; index++) {
    const version = { body: { messages: [{ role: "system", content }] }, key }
    assert.strictEqual((await callServer(server.url, "POST", "/presets/long/chat/completions", version)).status, 200)
    const guardrail = { body: { name: `long ${index}`, content_filters } }
    assert.strictEqual((await callServer(server.url, "POST", "/guardrails", guardrail)).status, 200)
  }
}, 120_000)
afterAll(() => server?.stop())

/** Buffers of the sockets on both sides take some pages. */
const pagesEach = 3

/** Asks for pages, one behind the other, and reads nothing of them. */
const ask = async (target: string, bearer: string): Promise<Socket> => {
  const { hostname, port, pathname } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on("error", () => {})
  await once(socket, "connect")
  socket.pause()
  socket.write(
    `GET ${pathname}${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bearer}\r\n\r\n`.repeat(pagesEach)
  )
  return socket
}

describe(`${readers} clients that read nothing of the largest pages, on a heap of ${heapMiB} MiB`, () => {
  for (const [operation, target] of Object.entries(lists))
    it(`leave the server to others: ${operation}`, { timeout: 300_000 }, async () => {
      const bearer = operation === "listGuardrails" ? managementKey : key
      const sockets = await Promise.all(Array.from({ length: readers }, () => ask(target, bearer)))
      try {
        await eventually("a refusal of a further page", async () => {
          const { status, json } = await callServer(server.url, "GET", target, { key: bearer })
          return status === 503 && json.error.metadata.reason === "answers_in_flight" ? status : undefined
        })
        assert.strictEqual((await fetch(new URL("/livez", server.url))).status, 200)
        assert.strictEqual((await callServer(server.url, "GET", "/workspaces")).status, 200)
        assert.strictEqual((await callServer(server.url, "GET", "/key", { key })).status, 200)
      } finally {
        for (const socket of sockets) socket.destroy()
      }
      const page = await eventually("a page after the clients have gone", async () => {
        const { status, json } = await callServer(server.url, "GET", target, { key: bearer })
        return status === 200 ? (json as { data: readonly unknown[] }) : undefined
      })
      assert.lengthOf(page.data, 4)
      assert.isNull(server.child.exitCode)
    })
})
