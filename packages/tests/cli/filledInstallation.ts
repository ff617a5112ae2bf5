/** An installation that has some of everything, for tests that carry it elsewhere. */
import { afterAll, assert, beforeAll } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { cp, readFile } from "node:fs/promises"
import { join } from "node:path"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { managementKey, type ServerProcess } from "@gatewarden/testkit/server/serverProcess"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { gatewardenHere, server, temporaryDirectory } from "./gatewarden.ts"

export const other = `k9:${Buffer.alloc(32, 9).toString("base64")}`

export const content = Buffer.alloc(1_500_000, "content of a file ")

/** Some of everything: rows, secrets, files of more than one piece, usage, rankings and answers that are kept. */
const fill = async ({ url }: ServerProcess): Promise<void> => {
  const post = async (path: string, body: unknown, headers = {}) => {
    const answer = await callServer(url, "POST", path, { body, headers })
    assert.strictEqual(answer.status, 200, JSON.stringify(answer.json))
    return answer
  }
  for (let index = 0; index < 5; index++)
    await post(
      "/byok",
      { name: `key "${index}"\n\\`, provider: "openai", key: `sk-${index}-${"x".repeat(30)}` },
      { "idempotency-key": `byok-${index}` }
    )
  await post("/guardrails", {
    name: "Ünïcode 😀",
    limit_usd: 0.1,
    reset_interval: "daily",
    allowed_models: ["a/b", 'c"d']
  })
  await post("/observability/destinations", {
    type: "webhook",
    config: { url: "https://example.com", headers: { Authorization: "Bearer abcdefghijklmnop" } }
  })
  await post("/presets/kept/chat/completions", {
    model: "a/b",
    temperature: 0.1,
    messages: [{ role: "system", content: "Hi\u2028there" }]
  })
  const events = Array.from({ length: 500 }, (_, index) => ({
    id: `event-${index}`,
    created_at: new Date(Date.now() - index * 3_600_000).toISOString(),
    model: "a/b",
    provider: "openai",
    prompt_tokens: index,
    completion_tokens: 2 ** 40 + index,
    cost_usd: "0.123456789",
    latency_ms: index / 3,
    classifiers: { tone: { mood: "good" } }
  }))
  await post("/gateway/usage-events", { events })
  const form = new FormData()
  form.append("file", new Blob([content], { type: "text/plain" }), "kept.txt")
  const upload = await fetch(`${url}/files`, {
    method: "POST",
    headers: { authorization: `Bearer ${managementKey}` },
    body: form
  })
  assert.strictEqual(upload.status, 200, await upload.text())
  assert.strictEqual((await callServer(url, "GET", "/datasets/rankings-daily")).status, 200)
}

/** What a client sees of an installation, answers that are repeated included. */
export const view = async ({ url }: ServerProcess) => {
  const repeated = await callServer(url, "POST", "/byok", {
    body: { name: 'key "3"\n\\', provider: "openai", key: `sk-3-${"x".repeat(30)}` },
    headers: { "idempotency-key": "byok-3" }
  })
  assert.strictEqual(repeated.headers.get("idempotent-replayed"), "true")
  const workspace = (await callServer(url, "GET", "/workspaces/default")).json.data
  const get = async (path: string) => (await callServer(url, "GET", path)).json.data
  return {
    repeated: repeated.json,
    workspace,
    byok: await get("/byok"),
    destinations: await get("/observability/destinations"),
    preset: await get("/presets/kept"),
    usage: (
      await callServer(url, "POST", "/analytics/query", {
        body: {
          metrics: ["request_count", "tokens_total", "credits_usage"],
          granularity: "week",
          dimensions: ["model"]
        }
      })
    ).json.data.data
  }
}

export const rowsOf = (url: string, table: string) =>
  Effect.promise(async () => Number((await execute(url, `select count(*) as count from ${table}`))[0]?.["count"]))

/** An embedded installation that was filled and stopped, and what a client saw of it. Made once; each test has a copy. */
const original = Effect.gen(function* () {
  const directory = join(yield* temporaryDirectory, "data")
  const running = yield* server({ dataDirectory: directory, environment: { DATABASE_URL: "" } })
  yield* Effect.promise(() => fill(running))
  const seen = yield* Effect.promise(() => view(running))
  // Its audit log is sealed and signed, which the server does within a second.
  const verified = yield* gatewardenHere(["audit", "verify"], { GATEWARDEN_DATA_DIR: directory })
  assert.strictEqual(verified.code, 0, verified.stderr)
  yield* Effect.promise(running.stop)
  return { directory, seen }
})

/** To be called where tests are declared: effects that give a copy of it, stopped or served. */
export const filledInstallation = () => {
  let made: Effect.Success<typeof original>
  const scope = Scope.makeUnsafe()
  beforeAll(async () => {
    made = await Effect.runPromise(Scope.provide(original, scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const stopped = Effect.gen(function* () {
    const directory = join(yield* temporaryDirectory, "data")
    yield* Effect.promise(() => cp(made.directory, directory, { recursive: true }))
    return { directory, seen: made.seen, environment: { GATEWARDEN_DATA_DIR: directory } }
  })

  const installation = Effect.gen(function* () {
    const found = yield* stopped
    const running = yield* server({ dataDirectory: found.directory, environment: { DATABASE_URL: "" } })
    return { ...found, running }
  })
  return { stopped, installation }
}

export const keyringIn = (directory: string) =>
  Effect.promise(async () => (await readFile(join(directory, "keyring"), "utf8")).trim())

export const fileBytes = (url: string) =>
  Effect.promise(async () => {
    const rows = await execute(url, "select bytes from gatewarden_file_content order by file_id, position")
    return Buffer.concat(rows.map(({ bytes }) => bytes as Uint8Array))
  })
