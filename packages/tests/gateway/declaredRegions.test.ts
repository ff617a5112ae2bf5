/** The reference gateway in Europe, with BYOK credentials of accounts there and elsewhere. Rule: byok#declared-region. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import {
  gateway,
  managementKey,
  type ServerProcess,
  startServerProcess
} from "@gatewarden/testkit/server/serverProcess"
import type { Answer } from "@gatewarden/conformance/internal/World"
import { type ChatUpstream, completes, startChatUpstream } from "@gatewarden/testkit/upstream/chatUpstream"

const apiKey = "sk-own-0123456789abcdefghij"
const regional = (region: string) => JSON.stringify({ api_key: apiKey, region })

const models = [
  catalogModel("acme/sonnet", { endpoints: [catalogEndpoint("openai")] }),
  catalogModel("acme/mini", {
    endpoints: [catalogEndpoint("openai"), catalogEndpoint("openai", { tag: "openai/eu", data_regions: ["europe"] })]
  })
]

let upstream: ChatUpstream
let server: ServerProcess

const send = async (method: string, path: string, body?: object, key = managementKey) => {
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return { status: answer.status, json: (await answer.json()) as Answer["json"] }
}

const sent = () => upstream.calls().map(({ provider, authorization }) => [provider, authorization])

beforeAll(async () => {
  upstream = await startChatUpstream()
  server = await startServerProcess({
    program: gateway,
    environment: {
      GATEWARDEN_REGION: "europe",
      GATEWAY_UPSTREAMS: JSON.stringify({
        openai: { base_url: upstream.baseUrl("anywhere"), api_key: "sk-shared-0123456789" },
        "openai/eu": { base_url: upstream.baseUrl("europe") }
      })
    }
  })
  await send("PUT", "/gateway/catalog", { models })
})
afterAll(async () => {
  await server?.stop()
  await upstream?.close()
})

describe("the gateway in Europe", () => {
  it("sends a request with the key of an account in Europe to Europe alone, and lists the model", async () => {
    for (const name of ["anywhere", "europe"])
      upstream.plays(name, completes(name, { prompt_tokens: 1, completion_tokens: 1 }))
    const { json } = await send("POST", "/keys", { name: "app" })
    const chat = (model: string) =>
      send("POST", "/chat/completions", { model, max_tokens: 5, messages: [{ role: "user", content: "hi" }] }, json.key)
    const listed = async () => {
      const { json: answer } = await send("GET", "/models/user", undefined, json.key)
      const names: readonly string[] = answer.data.map(({ id }: { readonly id: string }) => id)
      return names.filter((id) => id.startsWith("acme/"))
    }
    const made = await send("POST", "/byok", { provider: "openai", key: apiKey })
    assert.deepEqual(await listed(), ["acme/mini"])
    assert.strictEqual((await chat("acme/sonnet")).status, 404)
    assert.deepEqual(sent(), [])

    const path = `/byok/${made.json.data.id}`
    await send("PATCH", path, { key: regional("europe") })
    assert.deepEqual(await listed(), ["acme/mini", "acme/sonnet"])
    for (const model of ["acme/sonnet", "acme/mini"])
      assert.strictEqual((await chat(model)).json.choices[0].message.content, "europe")
    assert.deepEqual(
      sent(),
      Array.from({ length: 2 }, () => ["europe", `Bearer ${apiKey}`])
    )

    // No other key is tried, and no other address.
    upstream.plays("europe", (_, response) => response.writeHead(503).end())
    assert.strictEqual((await chat("acme/sonnet")).status, 502)
    assert.lengthOf(sent(), 3)

    await send("PATCH", path, { key: regional("us") })
    assert.deepEqual(await listed(), ["acme/mini"])
    assert.strictEqual((await chat("acme/sonnet")).status, 404)
    assert.strictEqual((await chat("acme/mini")).status, 503)
    assert.lengthOf(sent(), 3)
  })
})
