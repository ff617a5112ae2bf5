/** What fifty requests at once could once cost past a limit of $1, and what ten abandoned streams did. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { createGatewarden, type AdmissionRequest, type Gatewarden, memory } from "../../core/src/index.ts"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"

const managementKey = `test-${"m".repeat(40)}`

/** $3 and $15 a million tokens. */
const pricing = { prompt: "0.000003", completion: "0.000015", image: "0" }
const model = "acme/large"

describe("a budget of a dollar", () => {
  let gatewarden: Gatewarden
  const send = async (method: string, path: string, body?: object, key = managementKey) => {
    const answer = await gatewarden.fetch(
      new Request(`http://host${gatewarden.basePath}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )
    assert.strictEqual(answer.status, 200, await answer.clone().text())
    return answer.json() as Promise<{ readonly key: string; readonly data: { readonly usage: number } }>
  }
  beforeAll(async () => {
    gatewarden = await createGatewarden({ store: memory(), managementKey })
    const endpoint = catalogEndpoint("openai", { pricing, context_length: 200_000 })
    await send("PUT", "/gateway/catalog", { models: [catalogModel(model, { endpoints: [endpoint] })] })
    const tools = [{ type: "function", function: { name: "f", description: "x".repeat(600_000) } }]
    const preset = { model, messages: [{ role: "user", content: "Hello" }], tools }
    await send("POST", "/presets/large/chat/completions", preset)
  })
  afterAll(() => gatewarden.close())

  const newKey = async (limit: number) => (await send("POST", "/keys", { name: "app", limit })).key
  const user = (content: unknown) => [{ role: "user", content }] as NonNullable<AdmissionRequest["messages"]>
  const text = "x".repeat(600_000)
  const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } }
  const pdf = { type: "file", file: { filename: "a.pdf", file_data: "https://example.com/a.pdf" } }

  /** What fifty at once hold in all, of a key with this limit. */
  const fifty = async (request: object) => {
    const api_key = await newKey(1)
    const asked = { api_key, model, messages: user("Hello"), max_completion_tokens: 100, ...request }
    const admissions = await Promise.all(Array.from({ length: 50 }, () => gatewarden.admit(asked)))
    const held = admissions.map(({ decision, holds }) => (decision === "allow" ? Number(holds[0]?.amount_usd) : null))
    return held.filter((amount) => amount !== null)
  }

  it("denies 600 kB as often wherever a client puts them", { tags: ["deep"] }, async () => {
    const tools = [{ type: "function", function: { name: "f", description: text } }]
    for (const request of [
      { messages: user(text) },
      { tools },
      { functions: [{ description: text }] },
      { preset: "large" }
    ])
      assert.deepEqual(await fifty(request), [])
  })

  it("admits no more images, files and searches than it can pay for", async () => {
    // All of the context is 200,000 tokens for $0.60; a hundred images of 1,600 tokens would be $0.48.
    for (const content of [Array.from({ length: 100 }, () => image), [pdf]]) {
      const held = await fifty({ messages: user(content) })
      assert.lengthOf(held, 1)
      assert.isAtLeast(held[0] ?? 0, 0.6)
    }
    assert.deepEqual(await fifty({ tools: [{ type: "openrouter:web_search", parameters: { max_uses: 3 } }] }), [])
  })

  it("pays for ten streams that the client leaves after the first chunk", async () => {
    const api_key = await newKey(100)
    // 150,000 tokens of prompt cost $0.45 a stream, of which $0.00144 was charged in all.
    const asked = { api_key, model, messages: user("x".repeat(150_000)), max_completion_tokens: 1_000 }
    for (let stream = 0; stream < 10; stream++) {
      const { id, candidates, costOf } = await gatewarden.admit(asked)
      const [candidate] = candidates
      if (candidate === undefined) return assert.fail("no candidate")
      const { provider, endpoint_tag } = candidate
      const event = { created_at: new Date().toISOString(), model, provider, endpoint_tag, completion_tokens: 1 }
      const cost = costOf(candidate, { completion_tokens: 1 })
      const settled = await gatewarden.settle(id, { ...event, status: "cancelled" })
      assert.strictEqual(settled.charged[0]?.amount_usd, cost.cost_usd)
    }
    assert.isAtLeast((await send("GET", "/key", undefined, api_key)).data.usage, 4.5)
  })

  it("cannot be told by a stream that it cost less than what was sent", async () => {
    const api_key = await newKey(100)
    const { id, candidates } = await gatewarden.admit({ api_key, model, messages: user("x".repeat(150_000)) })
    const event = { created_at: new Date().toISOString(), model, provider: candidates[0]?.provider ?? "" }
    const settled = await gatewarden.settle(id, { ...event, completion_bytes: 10, status: "cancelled" })
    assert.isAtLeast(Number(settled.charged[0]?.amount_usd), 0.45)
  })
})
