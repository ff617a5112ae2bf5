/** The reference gateway. Where a request goes next when an upstream fails it, and with which key. */
import { assert, describe, it } from "@effect/vitest"
import { upstreamName } from "../../../examples/gateway/src/Upstream.ts"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import {
  type ChatScript,
  completes,
  fails,
  hangsUp,
  sendEvent,
  startStream,
  streams
} from "@gatewarden/testkit/upstream/chatUpstream"
import type { ServerResponse } from "node:http"
import { errorOf } from "./errorOf.ts"
import {
  broughtKey,
  gatewayUnderTest,
  hello,
  type MadeKey,
  managementKey,
  sharedKeys,
  usage
} from "./gatewayUnderTest.ts"

/** Writes to the connection what Node would not, and leaves it open. */
const writes =
  (text: string): ChatScript =>
  (_, { socket }) =>
    socket?.write(text)

const { address, ask, budgetOf, manage, newKey, recorded, upstream } = gatewayUnderTest()

describe("failover", () => {
  for (const [how, script] of [
    ["a refusal", fails(429)],
    ["an error", fails(500)],
    ["a rejected key", fails(401)],
    ["a lost connection", hangsUp],
    ["another protocol", writes("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")],
    ["informational responses alone", writes("HTTP/1.1 102 Processing\r\n\r\n".repeat(9))]
  ] as const)
    for (const stream of [false, true])
      it(`goes to the next candidate after ${how}${stream ? " of a stream" : ""}`, async () => {
        upstream.plays("openai", script)
        upstream.plays("anthropic", stream ? streams(["hi"], usage) : completes("hi", usage))
        const key = await newKey()
        const answer = await ask(key.key, { stream })
        assert.strictEqual(answer.status, 200)
        assert.include(await answer.text(), '"provider":"anthropic"')
        const [, second] = upstream.calls()
        assert.deepInclude(second?.body, { model: "sonnet-2026", max_tokens: 100 })
        assert.notProperty(second?.body, "max_completion_tokens")
        assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
        assert.deepEqual(await recorded("provider"), [["anthropic", 1, 10]])
      })

  it("happens too when a stream begins with an error, or without anything", async () => {
    for (const begin of [{ error: { message: "overloaded" } }, "[DONE]"]) {
      upstream.plays("openai", (_, response) => {
        startStream(response)
        sendEvent(response, begin)
        response.end()
      })
      upstream.plays("anthropic", streams(["hi"], usage))
      assert.include(await (await ask((await newKey()).key, { stream: true })).text(), '"provider":"anthropic"')
    }
  })

  it("happens too after an answer that says nothing", async () => {
    upstream.plays("openai", (_, response) => response.end("{}"))
    upstream.plays("anthropic", completes("hi", usage))
    assert.include(await (await ask((await newKey()).key)).text(), '"provider":"anthropic"')
  })

  it("does not happen where the error is none", async () => {
    const said = {
      choices: [{ index: 0, message: { content: "hi" }, delta: { content: "hi" }, finish_reason: "stop" }]
    }
    for (const stream of [false, true]) {
      upstream.plays("openai", (_, response) => {
        if (!stream) return response.end(JSON.stringify({ ...said, error: null, usage }))
        startStream(response)
        sendEvent(response, { ...said, error: null })
        response.end()
      })
      assert.include(await (await ask((await newKey()).key, { stream })).text(), '"provider":"openai"')
    }
    assert.lengthOf(upstream.calls(), 2)
  })

  it("happens twenty times at most", async () => {
    const endpoints = Array.from({ length: 40 }, (_, index) => catalogEndpoint("openai", { tag: `openai/${index}` }))
    await manage("PUT", "/gateway/catalog", { models: [catalogModel("acme/many", { endpoints })] })
    upstream.plays("openai", fails(500))
    const answer = await ask((await newKey()).key, { model: "acme/many" })
    assert.strictEqual(answer.status, 502)
    assert.lengthOf(upstream.calls(), 20)
  })

  it("tells of every attempt when all have failed, and charges nothing", async () => {
    upstream.plays("openai", fails(429))
    const key = await newKey()
    const answer = await ask(key.key)
    assert.strictEqual(answer.status, 502)
    assert.deepEqual((await errorOf(answer)).metadata?.["attempts"], [
      { provider: "openai", status: 429, message: "scripted" },
      { provider: "anthropic", status: 503, message: "scripted" }
    ])
    assert.deepEqual(await budgetOf(key), { spent: "0", held: "0" })
    upstream.plays("anthropic", fails(429))
    assert.strictEqual((await ask(key.key)).status, 429)
    upstream.plays("anthropic", hangsUp)
    assert.deepInclude((await errorOf(await ask(key.key))).metadata?.["attempts"], {
      provider: "anthropic",
      status: null,
      message: "No answer (ECONNRESET)"
    })
  })

  it("tells nothing that a provider says of the gateway's own key, and all that it says of one that was brought", async () => {
    const masked = "Incorrect API key provided: sk-sh****6789."
    for (const status of [401, 403]) {
      upstream.plays("openai", fails(status, masked))
      upstream.plays("anthropic", fails(status, masked))
      const told = async () => {
        const { metadata } = await errorOf(await ask((await newKey()).key, { provider: { only: ["openai"] } }))
        return metadata?.["attempts"]
      }
      const own = { provider: "openai", status, message: "The provider refused the gateway's key" }
      assert.deepEqual(await told(), [own])
      const { data } = await manage("POST", "/byok", { provider: "openai", key: broughtKey })
      assert.deepEqual(await told(), [{ ...own, message: masked }, own])
      await manage("DELETE", `/byok/${data.id}`)
    }
  })

  for (const [code, ...scripts] of [
    ["capacity_exhausted", fails(429), fails(503)],
    ["capacity_exhausted", fails(529), fails(529)],
    ["capacity_exhausted", fails(429), fails(429)],
    ["temporarily_unavailable", hangsUp, fails(429)],
    ["temporarily_unavailable", fails(500), fails(500)],
    ["temporarily_unavailable", hangsUp, hangsUp],
    [undefined, fails(401), fails(404)]
  ] as const)
    it(`tells ${code ?? "no availability"} where ${scripts.map((script) => (script === hangsUp ? "no answer" : "a status")).join(" and ")} came`, async () => {
      upstream.plays("openai", scripts[0])
      upstream.plays("anthropic", scripts[1])
      const answer = await ask((await newKey()).key)
      const { url } = answer
      const { availability, metadata } = await errorOf(answer)
      assert.strictEqual(metadata?.["reason"], "provider_failed")
      assert.deepEqual(metadata?.["availability"], availability)
      if (code === undefined) return assert.isUndefined(availability)
      const docs_url = String(metadata?.["doc_url"])
      assert.deepEqual(availability, { code, retryable: true, requested_models: ["acme/sonnet"], docs_url })
      assert.strictEqual((await fetch(new URL(docs_url, url))).status, 200)
    })

  it("does not happen for a request that the upstream calls wrong", async () => {
    upstream.plays("openai", fails(400, `no such tool, says ${sharedKeys.openai}`))
    upstream.plays("anthropic", completes("hi", usage))
    const key = await newKey()
    const answer = await ask(key.key)
    assert.strictEqual(answer.status, 400)
    const { message, metadata } = await errorOf(answer)
    assert.strictEqual(message, "Provider returned error")
    // The upstream repeated its key, so that its words stay here.
    assert.deepInclude(metadata, { provider_name: "openai", raw: null })
    assert.strictEqual(upstream.calls().length, 1)
    assert.deepEqual(await budgetOf(key), { spent: "0", held: "0" })
  })

  for (const [how, spelled] of [
    ["cut within it by the longest message", (key: string) => `${"a".repeat(1990 - key.length)} said ${key}`],
    ["escaped as PHP escapes", (key: string) => `said ${key.replaceAll("/", "\\/")}`],
    ["escaped by its code", (key: string) => `said ${key.replaceAll("/", "\\u002f")}`],
    ["in a URL", (key: string) => `said ${encodeURIComponent(key)}`],
    ["but for its end", (key: string) => `said ${key.slice(0, -3)}...`]
  ] as const)
    it(`keeps the words of an upstream that repeats the key, ${how}`, async () => {
      const told = (text: string) => (_: unknown, response: ServerResponse) => {
        response.writeHead(400, { "content-type": "application/json" })
        response.end(`{"error":{"message":"${text}"}}`)
      }
      const brought = "sk-brought/0123456789/abcdefghij"
      await manage("POST", "/byok", { provider: "openai", key: brought })
      const { key } = await newKey()
      upstream.plays("openai", told(spelled(brought)))
      assert.strictEqual((await errorOf(await ask(key))).metadata?.["raw"], null)
      upstream.plays("openai", told("no such tool"))
      assert.strictEqual((await errorOf(await ask(key))).metadata?.["raw"], "no such tool")
    })

  it("costs nothing where all fail, whatever a request may have used", async () => {
    const pricing = { prompt: "0.001", completion: "0.001", request: "0.01", web_search: "0.1" }
    const endpoint = catalogEndpoint("openai", { pricing, context_length: 1_000, server_tool_prices: { fetch: "0.2" } })
    await manage("PUT", "/gateway/catalog", { models: [catalogModel("acme/sonnet", { endpoints: [endpoint] })] })
    upstream.plays("openai", fails(500))
    const key = await newKey()
    const tools = ["web_search", "fetch"].map((type) => ({ type, max_uses: 3 }))
    assert.strictEqual((await ask(key.key, { tools })).status, 502)
    assert.deepEqual(await budgetOf(key), { spent: "0", held: "0" })
  })

  it("spends no key of the gateway on a model whose prices the account wrote itself", async () => {
    const endpoints = [catalogEndpoint("openai", { pricing: { prompt: "0", completion: "0" } })]
    await manage("PUT", "/gateway/catalog?account=own", { models: [catalogModel("mine/sonnet", { endpoints })] })
    upstream.plays("openai", completes("hi", usage))
    const { key } = await newKey()
    assert.strictEqual((await ask(key, { model: "mine/sonnet" })).status, 503)
    assert.deepEqual(upstream.calls(), [])
    await manage("POST", "/byok", { provider: "openai", key: broughtKey })
    assert.strictEqual((await ask(key, { model: "mine/sonnet" })).status, 200)
    assert.include(JSON.stringify(upstream.calls()), broughtKey)
    assert.lengthOf(upstream.calls(), 1)
  })

  it("goes to no upstream of another provider that the operator did not name for it", () => {
    const upstreams = { openai: {}, together: {}, "openai/eu": {} }
    const candidate = (endpoint_tag: string) => ({ provider: "openai", endpoint_tag })
    const own = (tag: string) => upstreamName(upstreams, { ...candidate(tag), own_model: true })
    for (const tag of ["together", "openai-compatible", "together/eu", "elsewhere", "openai"])
      assert.strictEqual(own(tag), "openai", tag)
    assert.strictEqual(own("openai/eu"), "openai/eu")
    // What the operator wrote is the operator's choice, but for a region that there is no address in.
    assert.strictEqual(upstreamName(upstreams, candidate("together")), "together")
    assert.strictEqual(upstreamName(upstreams, candidate("openai/fp8")), "openai")
    assert.strictEqual(upstreamName({ openai: {} }, candidate("openai/eu")), "openai/eu")
    assert.strictEqual(upstreamName({ openai: {} }, candidate("openai/us")), "openai/us")
  })

  it("goes to no address outside of the region that its tag names", async () => {
    const endpoints = [catalogEndpoint("openai", { tag: "openai/eu", data_regions: ["europe"] })]
    await manage("PUT", "/gateway/catalog", { models: [catalogModel("acme/sonnet", { endpoints })] })
    upstream.plays("openai", completes("hi", usage))
    const key = await newKey()
    assert.strictEqual((await ask(key.key)).status, 503)
    assert.deepEqual(upstream.calls(), [])
    assert.deepEqual(await budgetOf(key), { spent: "0", held: "0" })
  })

  it("has nowhere to go when no upstream is configured", async () => {
    const key = await newKey()
    assert.strictEqual((await ask(key.key, { provider: { only: ["mistral"] } })).status, 503)
    assert.deepEqual(await budgetOf(key), { spent: "0", held: "0" })
  })
})

describe("an upstream that was given up, and may bill for what it was sent", () => {
  /** Tokens that are held for what it was sent: one a byte. */
  const read = JSON.stringify(hello).length
  /** Nobody knows how much was written, or thought: as many tokens as were asked for. */
  const whole = read + 100
  const dollars = (tokens: number) => String(tokens / 1000)
  const never = () => {}

  const silentFirst = async (limit: number | null = null) => {
    const pricing = { prompt: "0.001", completion: "0.001" }
    const endpoints = ["groq", "openai"].map((provider) => catalogEndpoint(provider, { pricing }))
    await manage("PUT", "/gateway/catalog", { models: [catalogModel("acme/sonnet", { endpoints })] })
    upstream.plays("groq", never)
    return newKey({ limit })
  }
  /** What was charged to a key, which no budget need know of. */
  const spentOf = async ({ hash }: MadeKey) => {
    const { data } = await manage("GET", `/keys/${hash}`)
    return String((data as unknown as { readonly usage: number }).usage)
  }
  const order = { provider: { order: ["groq", "openai"] } }

  /** Its head says that it is at work. */
  const begins = (response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.flushHeaders()
  }

  const waysToBeGivenUp = [
    ["says nothing", never],
    ["says nothing after its head", (_, response) => begins(response)],
    [
      "is lost after its head",
      (_, response) => {
        begins(response)
        // Ended below the answer: a reset may take from the gateway what it has not read of the head.
        response.write(": at work\n\n", () => response.socket?.end())
      }
    ]
  ] satisfies readonly (readonly [string, ChatScript])[]

  for (const [how, script] of waysToBeGivenUp)
    for (const stream of [false, true])
      it(`and ${how} is charged beside the next one that answers${stream ? " with a stream" : ""}`, async () => {
        const key = await silentFirst()
        upstream.plays("groq", script)
        upstream.plays("openai", stream ? streams(["hi"], usage) : completes("hi", usage))
        const answer = await ask(key.key, { ...order, stream })
        const text = await answer.text()
        assert.include(text, '"provider":"openai"')
        const spent = dollars(whole + 10)
        assert.include(text, `"cost":${spent},`)
        assert.strictEqual(await spentOf(key), spent)
      })

  it("is charged where the next one refuses the request, fails, or is lost", async () => {
    for (const [status, script] of [
      [400, fails(400)],
      [502, fails(500)],
      [502, hangsUp]
    ] as const) {
      const key = await silentFirst()
      upstream.plays("openai", script)
      assert.strictEqual((await ask(key.key, order)).status, status)
      assert.strictEqual(await spentOf(key), dollars(whole))
    }
  })

  for (const stream of [false, true])
    for (const [how, script] of waysToBeGivenUp)
      it(`and ${how} is the only one that a budget pays for${stream ? ", with a stream" : ""}`, async () => {
        const key = await silentFirst(1)
        upstream.plays("groq", script)
        upstream.plays("openai", stream ? streams(["hi"], usage) : completes("hi", usage))
        const answer = await ask(key.key, { ...order, stream })
        assert.strictEqual(answer.status, 502)
        const { metadata } = await errorOf(answer)
        assert.lengthOf(metadata?.["attempts"] as readonly unknown[], 1)
        assert.include(JSON.stringify(metadata?.["issues"]), "billed_attempt")
        assert.deepEqual(
          upstream.calls().map(({ provider }) => provider),
          ["groq"]
        )
        // Never more than was held for the request.
        assert.deepEqual(await budgetOf(key), { spent: dollars(whole), held: "0" })
      })

  it("is asked last by a budget, also behind others that failed at once", async () => {
    const key = await silentFirst(1)
    upstream.plays("openai", fails(429))
    const answer = await ask(key.key, { provider: { order: ["openai", "groq"] } })
    assert.lengthOf((await errorOf(answer)).metadata?.["attempts"] as readonly unknown[], 2)
    assert.deepEqual(await budgetOf(key), { spent: dollars(whole), held: "0" })
  })

  it("is charged to its owner where a workspace brought its key", async () => {
    await manage("POST", "/byok", { provider: "groq", key: broughtKey })
    const key = await silentFirst()
    upstream.plays("openai", completes("hi", usage))
    const answer = await ask(key.key, order)
    const { usage: told } = (await answer.json()) as { readonly usage: Record<string, unknown> }
    // The brought key was tried, then the gateway's own, and then the one that answers.
    assert.strictEqual(told["cost"], (whole + 10) / 1000)
    assert.strictEqual(await spentOf(key), dollars(whole + 10))
  })
})

describe("a key that a workspace brings", () => {
  it("goes before shared capacity, to its own provider alone, and costs the budget nothing", async () => {
    await manage("POST", "/byok", { provider: "anthropic", key: broughtKey })
    upstream.plays("anthropic", fails(429))
    upstream.plays("openai", completes("hi", usage))
    const key = await newKey()
    assert.strictEqual((await ask(key.key)).status, 200)
    assert.deepEqual(
      upstream.calls().map(({ provider, authorization }) => [provider, authorization]),
      [
        ["anthropic", `Bearer ${broughtKey}`],
        ["openai", `Bearer ${sharedKeys.openai}`]
      ]
    )
    upstream.plays("anthropic", completes("hi", usage))
    assert.strictEqual((await ask(key.key)).status, 200)
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
  })

  const statuses = async () => {
    const headers = { authorization: `Bearer ${managementKey}` }
    const text = await (await fetch(`${address()}/gateway/usage-events`, { headers })).text()
    const lines = text.split("\n").filter((line) => line !== "")
    return lines.map((line) => (JSON.parse(line) as { readonly status: string }).status)
  }

  it("says nothing of the endpoint to others where its provider refuses it, or it cannot be sent", async () => {
    for (const [key, script] of [
      [broughtKey, fails(401)],
      [broughtKey, fails(403)],
      [broughtKey, fails(404)],
      [broughtKey, hangsUp],
      ["sk-\n", completes("hi", usage)],
      ["sk-\u2713", completes("hi", usage)]
    ] as const) {
      const { data } = await manage("POST", "/byok", { provider: "openai", key, is_byok_only: true })
      upstream.plays("openai", script)
      const answer = await ask((await newKey()).key, { provider: { only: ["openai"] } })
      assert.strictEqual(answer.status, 502)
      await manage("DELETE", `/byok/${data.id}`)
    }
    assert.deepEqual(await statuses(), Array(6).fill("blocked"))
    // What an account cannot bring about counts.
    await manage("POST", "/byok", { provider: "openai", key: broughtKey, is_byok_only: true })
    upstream.plays("openai", fails(503))
    await ask((await newKey()).key, { provider: { only: ["openai"] } })
    assert.sameMembers(await statuses(), [...Array(6).fill("blocked"), "error"])
  })

  it("comes last when it is a fallback", async () => {
    await manage("POST", "/byok", { provider: "openai", key: broughtKey, is_fallback: true })
    upstream.plays("openai", (call, response) => {
      const script = call.authorization === `Bearer ${broughtKey}` ? completes("hi", usage) : fails(429)
      return script(call, response)
    })
    assert.strictEqual((await ask((await newKey()).key)).status, 200)
    assert.deepEqual(
      upstream.calls().map(({ authorization }) => authorization),
      [`Bearer ${sharedKeys.openai}`, `Bearer ${sharedKeys.anthropic}`, `Bearer ${broughtKey}`]
    )
  })
})
