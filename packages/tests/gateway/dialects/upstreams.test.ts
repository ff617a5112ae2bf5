/** The reference gateway at `/responses`, `/messages` and `/embeddings`: what upstreams are sent, and what follows their failures. */
import { assert, describe, it } from "@effect/vitest"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import { answers, refuses, sends, streamsAs, text } from "@gatewarden/testkit/upstream/ApiForm"
import { delta, json } from "@gatewarden/testkit/upstream/chatUpstream"
import { messagesForm } from "@gatewarden/testkit/upstream/messagesForm"
import { responsesForm } from "@gatewarden/testkit/upstream/responsesForm"
import { broughtKey, sharedKeys, usage } from "../gatewayUnderTest.ts"
import {
  at,
  bodyOf,
  dialectsUnderTest,
  errorOf,
  eventsOf,
  messages,
  responses,
  spoken,
  type Spoken
} from "./dialectsUnderTest.ts"

const { ask, budgetOf, catalogOf, manage, newKey, send, upstream } = dialectsUnderTest()

describe("keys and headers", () => {
  it("the client's key may come as Anthropic's clients send it", async () => {
    upstream.plays("anthropic", answers(messagesForm, [text("hi")], usage))
    const { key } = await newKey()
    await bodyOf(await send("/messages", "", messages.asks, { "x-api-key": key }))
    const [sent] = upstream.calls()
    assert.strictEqual(sent?.headers["x-api-key"], sharedKeys.anthropic)
    assert.isUndefined(sent?.authorization)
    assert.strictEqual(sent?.headers["anthropic-version"], "2023-06-01")
    assert.notProperty(sent?.headers, "anthropic-beta")
  })

  it("betas that change prices, or bring what the gateway does not see, stay here", async () => {
    upstream.plays("anthropic", answers(messagesForm, [text("hi")], usage))
    const { key } = await newKey()
    await bodyOf(
      await send("/messages", "", messages.asks, {
        "x-api-key": key,
        "anthropic-version": "2024-01-01",
        "anthropic-beta":
          "claude-code-20250219, context-1m-2025-08-07,interleaved-thinking-2025-05-14,files-api-2025-04-14,mcp-client-2025-04-04"
      })
    )
    const [sent] = upstream.calls()
    assert.strictEqual(sent?.headers["anthropic-version"], "2024-01-01")
    assert.strictEqual(sent?.headers["anthropic-beta"], "claude-code-20250219,interleaved-thinking-2025-05-14")
  })

  it("a key that a workspace brings goes as the API wants it, and costs the budget nothing", async () => {
    await manage("POST", "/byok", { provider: "anthropic", key: broughtKey })
    upstream.plays("anthropic", answers(messagesForm, [text("hi")], usage))
    const key = await newKey()
    const { usage: told } = await bodyOf(await ask(messages, key))
    assert.deepInclude(told, { cost: 0, is_byok: true })
    assert.strictEqual(at(told, "cost_details", "upstream_inference_cost"), 0.01)
    assert.strictEqual(upstream.calls()[0]?.headers["x-api-key"], broughtKey)
    assert.deepEqual(await budgetOf(key), { spent: "0", held: "0" })
  })
})

describe("failover", () => {
  const twoOf = async (api: Spoken) => {
    // The first speaks another API and is not asked.
    const other = api.provider === "openai" ? "anthropic" : "openai"
    await manage("POST", "/byok", { provider: api.provider, key: broughtKey })
    const endpoints = [other, api.provider].map((provider) =>
      catalogEndpoint(provider, { pricing: { prompt: "0.001", completion: "0.001" } })
    )
    await manage("PUT", "/gateway/catalog", { models: [catalogModel("acme/sonnet", { endpoints })] })
  }

  for (const api of spoken)
    for (const status of [401, 429, 500, 529])
      for (const stream of [false, true])
        it(`${api.form.path}: goes on after ${status}${stream ? " of a stream" : ""}`, async () => {
          await twoOf(api)
          let calls = 0
          upstream.plays(api.provider, (called, response) => {
            const written = [text("hi")] as const
            const next = stream ? streamsAs(api.form, written, usage) : answers(api.form, written, usage)
            return (++calls === 1 ? refuses(api.form, status) : next)(called, response)
          })
          const key = await newKey()
          const answer = await ask(api, key, { stream })
          assert.strictEqual(answer.status, 200)
          assert.include(await answer.text(), `"provider":"${api.provider}"`)
          assert.deepEqual(
            upstream.calls().map(({ provider }) => provider),
            [api.provider, api.provider]
          )
          assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
        })

  for (const api of spoken) {
    it(`${api.form.path}: goes on where a stream begins with an error`, async () => {
      await twoOf(api)
      let calls = 0
      const error = {
        type: "error",
        error: { type: "overloaded_error", message: "Overloaded" },
        code: "x",
        message: "m"
      }
      upstream.plays(api.provider, (called, response) =>
        (++calls === 1 ? sends([error]) : streamsAs(api.form, [text("hi")], usage))(called, response)
      )
      assert.include(await (await ask(api, await newKey(), { stream: true })).text(), `"provider":"${api.provider}"`)
      assert.strictEqual(calls, 2)
    })

    it(`${api.form.path}: ends where it fails in the middle, with what it counted`, async () => {
      const events = api.form.events([text("hi")], usage).slice(0, -2)
      const counted = at(responsesForm.answer([], usage), "usage")
      const failed =
        api === responses
          ? {
              type: "response.failed",
              response: { status: "failed", error: { code: "server_error", message: "no" }, usage: counted }
            }
          : { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }
      upstream.plays(api.provider, sends([...events, failed]))
      const key = await newKey()
      const told = await eventsOf(await ask(api, key, { stream: true }))
      assert.strictEqual(told.at(-1)?.["type"], "error")
      assert.strictEqual(told.filter(({ type }) => type === "error").length, 1)
      assert.deepEqual(await budgetOf(key), { spent: api === responses ? "0.01" : "0.008", held: "0" })
    })

    it(`${api.form.path}: tells what an upstream said of the request, and charges nothing`, async () => {
      upstream.plays(api.provider, refuses(api.form, 400, "This model has no vision."))
      const key = await newKey()
      const answer = await ask(api, key)
      assert.strictEqual(answer.status, 400)
      const error = await errorOf(answer)
      assert.strictEqual(error.message, "This model has no vision.")
      assert.deepInclude(error.metadata, { provider_name: api.provider, raw: "This model has no vision." })
      assert.deepEqual(await budgetOf(key), { spent: "0", held: "0" })
    })
  }
})

describe("an error that repeats the key is told to no client", () => {
  const error = { code: 502, message: `oops ${broughtKey}` }
  const usageOfOne = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  const failing = { index: 0, finish_reason: "error", error }
  const begun = { type: "message_start", message: { content: [], usage: usageOfOne } }
  const chat = ["/chat/completions", "openai", { messages: messages.asks["messages"] }] as const
  const ofResponses = ["/responses", "openai", responses.asks] as const
  const ofMessages = ["/messages", "anthropic", messages.asks] as const

  for (const [how, [path, provider, asks], answer] of [
    ["of a choice", chat, { choices: [{ ...failing, message: { content: "" } }], usage }],
    ["of a response", ofResponses, { status: "incomplete", output: [], error, usage: usageOfOne }],
    ["of a message", ofMessages, { type: "message", content: [], error, usage: usageOfOne }]
  ] as const)
    it(`${path}: ${how}`, async () => {
      await manage("POST", "/byok", { provider, key: broughtKey })
      upstream.plays(provider, (_, response) => json(response, 200, answer))
      const { key } = await newKey()
      const told = await send(path, key, {
        model: "acme/sonnet",
        max_tokens: 9,
        ...asks,
        provider: { only: [provider] }
      })
      assert.strictEqual(told.status, 502)
      assert.notInclude(await told.text(), broughtKey)
    })

  for (const [how, [path, provider, asks], events] of [
    ["of a choice", chat, [delta("hi"), { choices: [{ ...failing, delta: { content: "" } }] }]],
    [
      "of an incomplete response",
      ofResponses,
      [
        { type: "response.created" },
        { type: "response.incomplete", response: { status: "incomplete", output: [], error, usage: usageOfOne } }
      ]
    ],
    ["in an event without a type", ofResponses, [{ type: "response.created" }, { error }]],
    ["that is an event without a type", ofResponses, [{ type: "response.created" }, error]],
    ["in an event without a type", ofMessages, [begun, { error }]],
    ["that is an event without a type", ofMessages, [begun, error]]
  ] as const)
    it(`${path}: ${how} of a stream`, async () => {
      await manage("POST", "/byok", { provider, key: broughtKey })
      upstream.plays(provider, sends(events))
      const { key } = await newKey()
      const told = await send(path, key, { model: "acme/sonnet", max_tokens: 9, ...asks, stream: true })
      const text = await told.text()
      assert.strictEqual(told.status, 200)
      assert.include(text, "Provider returned error")
      assert.notInclude(text, broughtKey)
    })
})

describe("what is sent on", () => {
  it("a budget for thinking is below what may be written", async () => {
    upstream.plays("anthropic", answers(messagesForm, [text("hi")], usage))
    await catalogOf({ pricing: { prompt: "0", completion: "0" }, context_length: 100_000 })
    const key = await newKey()
    for (const [max_tokens, budget_tokens, sent] of [
      [4_000, 2_000, { type: "enabled", budget_tokens: 2_000 }],
      [2_000, 4_000, { type: "enabled", budget_tokens: 1_999 }],
      [1_000, 4_000, undefined]
    ] as const) {
      await bodyOf(await ask(messages, key, { max_tokens, thinking: { type: "enabled", budget_tokens } }))
      const body = upstream.calls().at(-1)?.body
      assert.deepEqual(body?.["thinking"], sent)
      assert.strictEqual(body?.["max_tokens"], max_tokens)
    }
    await bodyOf(await ask(messages, key, { thinking: { type: "adaptive" } }))
    assert.deepEqual(upstream.calls().at(-1)?.body["thinking"], { type: "adaptive" })
  })

  it("a response is capped where the client names no cap, and never kept", async () => {
    upstream.plays("openai", answers(responsesForm, [text("hi")], usage))
    await bodyOf(
      await ask(responses, await newKey(), { max_output_tokens: undefined, store: true, metadata: { a: "b" } })
    )
    assert.deepEqual(upstream.calls()[0]?.body, {
      model: "sonnet",
      input: "hello",
      store: false,
      max_output_tokens: 4096
    })
  })
})
