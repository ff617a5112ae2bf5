/** The reference gateway. What it reads of a body is what it decides on and what it sends: nothing is left out of one of them. */
import { assert, describe, it } from "@effect/vitest"
import { completes } from "@gatewarden/testkit/upstream/chatUpstream"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import { errorOf } from "./errorOf.ts"
import { gatewayUnderTest, hello, usage } from "./gatewayUnderTest.ts"

const { manage, newKey, post, upstream } = gatewayUnderTest()

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`

describe("a body that cannot be looked into", () => {
  const send = async (path: string, fields: object, replace: readonly [string, string]) => {
    const { key } = await newKey()
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const body = JSON.stringify({ model: "acme/sonnet", max_tokens: 10, messages: hello, ...fields })
    return post(path, { headers, body: body.replace(...replace) })
  }
  const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } }

  for (const [name, path, fields] of [
    ["a search", "/chat/completions", { web_search_options: {} }],
    ["a tool of the provider", "/chat/completions", { tools: [{ type: "web_search" }] }],
    ["images", "/chat/completions", { messages: [{ role: "user", content: Array(20).fill(image) }] }],
    ["a prediction", "/chat/completions", { prediction: { type: "content", content: "x".repeat(1_000) } }],
    ["a server tool of Anthropic", "/messages", { tools: [{ type: "web_search_20250305", name: "web_search" }] }],
    ["an input", "/responses", { input: "x", tools: [{ type: "web_search" }] }]
  ] as const)
    it(`is refused with 400, also beside ${name}`, async () => {
      upstream.plays("openai", completes("hi", usage))
      upstream.plays("anthropic", completes("hi", usage))
      for (const [field, depth] of [
        ["reasoning", 20_000],
        ["thinking", 20_000],
        ["reasoning", 63]
      ] as const) {
        const answer = await send(path, { ...fields, [field]: { x: 0 } }, ['"x":0', `"x":${nested(depth)}`])
        assert.strictEqual(answer.status, 400)
        const { metadata } = (await answer.json()).error
        assert.deepInclude(metadata, { reason: "invalid_json" })
        assert.include(JSON.stringify(metadata), "too_deep")
      }
      assert.deepEqual(upstream.calls(), [])
    })

  it("is read as deep as an admission may be", async () => {
    upstream.plays("openai", completes("hi", usage))
    const answer = await send("/chat/completions", { reasoning: { x: 0 } }, ['"x":0', `"x":${nested(62)}`])
    assert.strictEqual(answer.status, 200)
  })

  it("is refused with 400 where readers would not agree on it", async () => {
    for (const [replace, code] of [
      [['"max_tokens":10', '"max_tokens":10,"max_tokens":20'], "duplicate_key"],
      [['"hello"', '"\\ud800"'], "lone_surrogate"],
      [['"hello"', '"\\u0000"'], "nul_character"],
      [["{", "\ufeff{"], "invalid_json"]
    ] as const) {
      const { metadata } = await errorOf(await send("/chat/completions", {}, replace))
      assert.include(JSON.stringify(metadata), `"code":"${code}"`)
    }
    assert.deepEqual(upstream.calls(), [])
  })

  it("is read by the same rules where it is long", async () => {
    upstream.plays("openai", completes("hi", usage))
    const endpoints = [catalogEndpoint("openai", { context_length: 20_000_000 })]
    await manage("PUT", "/gateway/catalog", { models: [catalogModel("acme/sonnet", { endpoints })] })
    const long = { messages: [{ role: "user", content: "x".repeat(100_000) }], reasoning: { x: 0 } }
    assert.strictEqual((await send("/chat/completions", long, ["", ""])).status, 200)
    assert.strictEqual((await send("/chat/completions", long, ['"x":0', `"x":${nested(63)}`])).status, 400)
    assert.strictEqual((await send("/chat/completions", long, ['"x":0', '"x":0,"x":1'])).status, 400)
    // A file of 12 MiB in one text.
    const file = { messages: [{ role: "user", content: "x".repeat(17_000_000) }] }
    assert.strictEqual((await send("/chat/completions", file, ["", ""])).status, 200)
    const values = { reasoning: { x: Array(200_001).fill(0) } }
    assert.strictEqual((await send("/chat/completions", values, ["", ""])).status, 413)
    assert.lengthOf(upstream.calls(), 2)
  })
})
