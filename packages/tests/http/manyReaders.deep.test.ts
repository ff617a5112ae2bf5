/**
 * More clients than may wait ask a small server for its longest answers, and read nothing of them: it makes a few at once, refuses the rest, and
 * answers the others (Rule: requests#answers-in-flight).
 */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { managementKey, type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"

const heapMiB = 512
const clients = 800
const stored = 40

let server: ServerProcess
let key: string

const create = async (method: string, target: string, body: unknown, headers: Record<string, string> = {}) => {
  const answer = await callServer(server.url, method, target, { ...(body === undefined ? {} : { body }), headers })
  assert.isBelow(answer.status, 300, `${target}: ${JSON.stringify(answer.json).slice(0, 1_000)}`)
  return answer.json
}

const restoration = "/gateway/presets/restored/versions/1/restoration"

const start = async () => {
  server = await startServerProcess({
    environment: { DATABASE_URL: "", NODE_OPTIONS: `--max-old-space-size=${heapMiB}` }
  })
  key = (await create("POST", "/keys", { name: "reader" })).key
  const messages = [{ role: "system", content: "x".repeat(900_000) }]
  for (let index = 0; index < 5; index++) await create("POST", "/presets/long/chat/completions", { messages })
  await create("POST", "/presets/restored/chat/completions", { messages })
  for (let index = 0; index < stored; index++)
    await create("POST", restoration, undefined, { "idempotency-key": `key-${index}` })
  const entitlements = Array.from({ length: 55 }, (_, index) => ({ value: `${index}${"e".repeat(1_000)}` }))
  for (let index = 0; index < 200; index++)
    await create("POST", "/scim/v2/Users", {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      userName: `user-${index}`,
      entitlements
    })
}

const ask = async (line: string, bearer: string, headers: string): Promise<Socket> => {
  const { hostname, port, pathname } = new URL(server.url)
  const [method, target] = line.split(" ", 2)
  const socket = connect(Number(port), hostname)
  socket.on("error", () => {})
  await once(socket, "connect")
  socket.pause()
  socket.write(
    `${method} ${pathname}${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n${headers}Authorization: Bearer ${bearer}\r\n\r\n`
  )
  return socket
}

describe(`${clients} clients that read nothing, on a heap of ${heapMiB} MiB`, () => {
  beforeAll(start, 300_000)
  afterAll(() => server?.stop())

  const asked: Record<string, { readonly line: string; readonly bearer?: () => string; readonly stored?: true }> = {
    "pages of versions": { line: "GET /presets/long/versions?limit=100", bearer: () => key },
    versions: { line: "GET /presets/long/versions/1", bearer: () => key },
    filters: { line: `GET /scim/v2/Users?filter=${encodeURIComponent('entitlements.value co "zzz"')}` },
    "filters that find": { line: `GET /scim/v2/Users?filter=${encodeURIComponent('entitlements.value co "e"')}` },
    restorations: { line: `POST ${restoration}` },
    repetitions: { line: `POST ${restoration}`, stored: true }
  }

  for (const [name, { line, bearer = () => managementKey, stored: repeats }] of Object.entries(asked))
    it(`leave the server to others: ${name}`, { timeout: 300_000 }, async () => {
      const sockets = await Promise.all(
        Array.from({ length: clients }, (_, index) =>
          ask(line, bearer(), repeats === true ? `Idempotency-Key: key-${index % stored}\r\n` : "")
        )
      )
      try {
        for (let round = 0; round < 10; round++) {
          assert.strictEqual((await fetch(new URL("/livez", server.url))).status, 200)
          assert.strictEqual((await callServer(server.url, "GET", "/key", { key })).status, 200)
        }
      } finally {
        for (const socket of sockets) socket.destroy()
      }
      const [method = "", target = ""] = line.split(" ", 2)
      await eventually(
        "an answer after the clients have gone",
        async () => {
          const { status } = await callServer(server.url, method, target, { key: bearer() })
          return status === 200 ? status : undefined
        },
        120_000
      )
      assert.isNull(server.child.exitCode)
    })
})
