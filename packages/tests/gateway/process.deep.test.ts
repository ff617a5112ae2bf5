/** The reference gateway as a user starts it: the real process, its data, and what it says when it cannot start. */
import { assert, describe, it } from "@effect/vitest"
import { exitCode } from "@gatewarden/node/internal"
import { execFile } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, inject } from "vitest"
import { upstreamsOf } from "../../../examples/gateway/src/knownUpstreams.ts"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { serverFleet } from "@gatewarden/testkit/server/serverFleet"
import {
  commandLine,
  gateway as program,
  managementKey,
  type ServerProcess
} from "@gatewarden/testkit/server/serverProcess"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { type ChatUpstream, completes, startChatUpstream } from "@gatewarden/testkit/upstream/chatUpstream"

const { launch, start } = serverFleet()
const model = "openai/gpt-4o-mini"

let upstream: ChatUpstream
let directory: string
beforeAll(async () => {
  upstream = await startChatUpstream()
  directory = await mkdtemp(join(tmpdir(), "gatewarden-gateway-"))
})
afterAll(async () => {
  await upstream?.close()
  await rm(directory, { recursive: true, force: true })
})

/** A gateway before the scripted upstream. Of the data directories each test has its own. */
const options = (name: string, environment: Readonly<Record<string, string>>) => ({
  program,
  dataDirectory: join(directory, name),
  environment: {
    GATEWAY_UPSTREAMS: JSON.stringify({ openai: { base_url: upstream.baseUrl("openai") } }),
    OPENAI_API_KEY: "sk-shared-openai-0123456789",
    ...environment
  }
})

const onPostgres = (url: string) => ({
  DATABASE_URL: url,
  GATEWARDEN_KEYRING: `k1:${Buffer.alloc(32, 7).toString("base64")}`
})

const newKey = async ({ url }: ServerProcess): Promise<string> => {
  const { json } = await callServer(url, "POST", "/keys", { body: { name: "app", limit: 1 } })
  return (json as { readonly key: string }).key
}

const ask = ({ url }: ServerProcess, key: string) =>
  fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, max_tokens: 10, messages: [{ role: "user", content: "Hello" }] })
  })

const usageOf = async ({ url }: ServerProcess, key: string): Promise<number> => {
  const { json } = await callServer(url, "GET", "/key", { key })
  return (json as { readonly data: { readonly usage: number } }).data.usage
}

describe("the gateway's process", () => {
  it("asks, charges and remembers with an embedded database of its own, and its keys are made by the command line", async () => {
    upstream.plays("openai", completes("hi", { prompt_tokens: 1_000, completion_tokens: 1_000 }))
    const embedded = options("embedded", { DATABASE_URL: "" })
    const first = await start(embedded)
    assert.strictEqual(first.stdout(), `gatewarden listening on ${first.url}\n`)
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [commandLine, "keys", "create", "--name", "my-app", "--json"],
      { env: { PATH: process.env["PATH"] ?? "", GATEWARDEN_DATA_DIR: embedded.dataDirectory } }
    )
    const { key } = JSON.parse(stdout) as { readonly key: string }
    const answer = await ask(first, key)
    assert.strictEqual(answer.status, 200, await answer.clone().text())
    const spent = await usageOf(first, key)
    assert.isAbove(spent, 0)
    assert.strictEqual(await first.stop(), 0)

    const second = await start(embedded)
    assert.strictEqual(await usageOf(second, key), spent)
    // The catalog that it ships is put once, and what an operator wrote since stays.
    assert.strictEqual((await ask(second, key)).status, 200)

    // A data directory is left to the process that has it.
    const third = await launch(embedded)
    assert.strictEqual(await third.ended, 75, third.stderr())
    assert.strictEqual((await callServer(second.url, "GET", "/keys", { key: managementKey })).status, 200)
    assert.strictEqual(await second.stop(), 0)
  })

  it("keeps its data in PostgreSQL, where another finds them", async () => {
    upstream.plays("openai", completes("hi", { prompt_tokens: 1_000, completion_tokens: 1_000 }))
    const database = onPostgres(await createMigratedDatabase(inject("postgres")))
    const first = await start(options("one", database))
    const key = await newKey(first)
    assert.strictEqual((await ask(first, key)).status, 200)
    const second = await start(options("two", database))
    assert.strictEqual((await ask(second, key)).status, 200)
    assert.strictEqual(await usageOf(first, key), await usageOf(second, key))
    assert.deepEqual([await first.stop(), await second.stop()], [0, 0])
  })

  it("says which keys of providers it misses, and answers 503 with their names", async () => {
    const started = await start(options("keyless", { DATABASE_URL: "memory:", OPENAI_API_KEY: "" }))
    assert.include(started.stderr(), '"providers":"none has a key yet"')
    const answer = await ask(started, await newKey(started))
    assert.strictEqual(answer.status, 503)
    assert.include(await answer.text(), "OPENAI_API_KEY")
    assert.strictEqual(await started.stop(), 0)
  })
})

describe("a gateway that cannot start", () => {
  const ends = async (name: string, environment: Readonly<Record<string, string>>, code: number, said: string) => {
    const launched = await launch(options(name, environment))
    assert.strictEqual(await launched.ended, code, launched.stderr())
    assert.include(launched.stderr(), said)
    assert.strictEqual(launched.stdout(), "")
    return launched
  }

  it("names the port that is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1")
    await once(other, "listening")
    const { port } = other.address() as AddressInfo
    try {
      const PORT = String(port)
      await ends(
        "taken",
        { PORT, DATABASE_URL: "memory:" },
        exitCode.unavailable,
        `gatewarden: Cannot listen on 127.0.0.1:${PORT}`
      )
    } finally {
      other.close()
    }
  })

  it("names what of its configuration is missing or malformed", async () => {
    const url = "postgres://postgres@127.0.0.1:1/none"
    await ends("keyring", { DATABASE_URL: url }, exitCode.configuration, "GATEWARDEN_KEYRING")
    await ends("down", onPostgres(url), exitCode.unavailable, "gatewarden: ")
    const memory = { DATABASE_URL: "memory:" }
    const nowhere = JSON.stringify({ nebius: { api_key: "x" } })
    await ends("base", { ...memory, GATEWAY_UPSTREAMS: nowhere }, exitCode.configuration, "nebius needs a base_url")
    for (const GATEWAY_UPSTREAMS of ["{", "[]", '{"nebius":1}'])
      assert.throws(() => upstreamsOf({ GATEWAY_UPSTREAMS }), TypeError, "GATEWAY_UPSTREAMS: ")
    await ends("settle", { ...memory, GATEWAY_SETTLE: "after" }, exitCode.configuration, "GATEWAY_SETTLE")
    await ends("port", { ...memory, PORT: "http" }, exitCode.configuration, "PORT")
  })
})
