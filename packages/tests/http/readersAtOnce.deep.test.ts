/** One tenant that reads its longest guardrail over many connections does not end a small server on PostgreSQL (Rule: requests#answers-in-flight). */
import { Agent, request } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { inject } from "vitest"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { managementKey, startServerProcess } from "@gatewarden/testkit/server/serverProcess"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"

const heapMiB = 384
const connections = 100
/** Each is answered with 496 KB: the answers together would fill the heap twice. */
const requests = 1_500

const patterns = (prefix: string) => Array.from({ length: 1_000 }, (_, index) => `${prefix}/${"q".repeat(240)}${index}`)

/** The status of an answer, all of which is read. */
const read = (agent: Agent, url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    request(url, { agent, headers: { authorization: `Bearer ${managementKey}` } }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0))
      response.once("error", reject)
    })
      .once("error", reject)
      .end()
  })

describe(`${connections} connections that read a guardrail of 496 KB, on a heap of ${heapMiB} MiB`, () => {
  it("are answered", { timeout: 300_000 }, async () => {
    const server = await startServerProcess({
      environment: {
        DATABASE_URL: await createMigratedDatabase(inject("postgres")),
        GATEWARDEN_KEYRING: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
        NODE_OPTIONS: `--max-old-space-size=${heapMiB}`
      }
    })
    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    try {
      const body = { name: "long", allowed_models: patterns("m"), ignored_models: patterns("n") }
      const made = await callServer(server.url, "POST", "/guardrails", { body })
      assert.strictEqual(made.status, 200, JSON.stringify(made.json).slice(0, 500))
      let left = requests
      const readAll = async () => {
        while (left-- > 0) assert.strictEqual(await read(agent, `${server.url}/guardrails/${made.json.data.id}`), 200)
      }
      await Promise.all(Array.from({ length: connections }, readAll))
      assert.isNull(server.child.exitCode)
    } finally {
      agent.destroy()
      await server.stop()
    }
  })
})
