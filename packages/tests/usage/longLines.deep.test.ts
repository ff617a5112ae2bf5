/**
 * Uploads of long lines do not end a small server, whichever field is long: it records them group by group, and refuses what exceeds the
 * caps of bytes in flight (Rule: requests#bodies-in-flight).
 */
import { once } from "node:events"
import { request } from "node:http"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { managementKey, type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"

const heapMiB = 384

let server: ServerProcess

/** Each a little less than the mebibyte that a line may have. */
const traces = {
  "one long text": JSON.stringify("x!".repeat(490_000)),
  "many small objects": `[${'{"34":0},'.repeat(100_000)}0]`
}

/** Uploads lines, each once the server has taken those before, and answers the status. */
const upload = async (lines: number, trace: string): Promise<number> => {
  const { hostname, port, pathname } = new URL(server.url)
  const sending = request({
    hostname,
    port,
    method: "POST",
    path: `${pathname}/gateway/usage-events`,
    headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/x-ndjson" }
  })
  const answered = once(sending, "response")
  const isOver = answered.then(
    () => true,
    () => true
  )
  const created_at = new Date().toISOString()
  for (let line = 0; line < lines; line++) {
    const id = crypto.randomUUID()
    const fields = JSON.stringify({
      id,
      created_at,
      model: "m/m",
      provider: "p",
      prompt_tokens: 1,
      completion_tokens: 1
    })
    const text = `${fields.slice(0, -1)},"cost_usd":"0","trace":{"b":${trace}}}\n`
    if (!sending.write(text) && (await Promise.race([once(sending, "drain").then(() => false), isOver]))) break
  }
  sending.end()
  const [response] = await answered
  sending.on("error", () => {})
  response.resume()
  return response.statusCode
}

/** Calls of another kind while something runs; each must be answered. */
const served = async (until: Promise<unknown>): Promise<number> => {
  const progress = { isOver: false, count: 0 }
  const over = until.finally(() => (progress.isOver = true))
  for (; !progress.isOver; progress.count++)
    assert.strictEqual((await callServer(server.url, "GET", "/workspaces")).status, 200)
  await over
  return progress.count
}

describe(`uploads of long lines, on a heap of ${heapMiB} MiB`, () => {
  beforeAll(async () => {
    server = await startServerProcess({
      environment: { DATABASE_URL: "", NODE_OPTIONS: `--max-old-space-size=${heapMiB}` }
    })
  }, 120_000)
  afterAll(() => server?.stop())

  it("one, of more text than the heap has: all of it is recorded", { timeout: 600_000 }, async () => {
    const uploading = upload(heapMiB + 60, traces["one long text"])
    assert.isAbove(await served(uploading), 10)
    assert.strictEqual(await uploading, 200)
  })

  for (const [name, trace] of Object.entries(traces))
    it(`several at once: they are recorded or refused (${name})`, { timeout: 600_000 }, async () => {
      const uploading = Promise.all(Array.from({ length: 8 }, () => upload(12, trace)))
      assert.isAbove(await served(uploading), 1)
      const statuses = await uploading
      for (const status of statuses) assert.include([200, 429, 503], status)
      assert.include(statuses, 200)
      assert.isNull(server.child.exitCode)
    })
})
