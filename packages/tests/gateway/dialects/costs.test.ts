/** The reference gateway at `/responses`, `/messages` and `/embeddings`: what is held and charged. */
import { assert, describe, it } from "@effect/vitest"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import {
  answers,
  breaksOff,
  refuses,
  sends,
  streamsAs,
  text,
  thinking,
  waits
} from "@gatewarden/testkit/upstream/ApiForm"
import type { ChatUsage } from "@gatewarden/testkit/upstream/chatUpstream"
import { embeds, vector } from "@gatewarden/testkit/upstream/embeddingsForm"
import { messagesForm } from "@gatewarden/testkit/upstream/messagesForm"
import { responsesForm } from "@gatewarden/testkit/upstream/responsesForm"
import { deferred } from "../deferred.ts"
import { usage } from "../gatewayUnderTest.ts"
import {
  at,
  bodyOf,
  dialectsUnderTest,
  dollars,
  errorOf,
  eventsOf,
  messages,
  responses,
  spoken
} from "./dialectsUnderTest.ts"

const { ask, budgetOf, catalogOf, embed, manage, newKey, patience, patienceBegun, recorded, settledOf, upstream } =
  dialectsUnderTest()

for (const api of spoken)
  describe(`${api.form.path}, what it costs`, () => {
    const { form, provider, limit } = api

    it("is answered under the catalog's names and the id of the generation, and charged as counted", async () => {
      upstream.plays(provider, answers(form, [text("hi")], usage))
      const key = await newKey()
      const answer = await ask(api, key)
      const body = await bodyOf(answer)
      const id = answer.headers.get("x-generation-id")
      assert.deepInclude(body, { id, model: "acme/sonnet", provider })
      assert.deepInclude(body["usage"], { input_tokens: 7, output_tokens: 3, cost: 0.01, is_byok: false })
      assert.deepEqual(at(body, "usage", "cost_details"), {
        upstream_inference_cost: 0.01,
        upstream_inference_input_cost: 0.007,
        upstream_inference_output_cost: 0.003
      })
      const [sent] = upstream.calls()
      assert.strictEqual(sent?.path, form.path)
      assert.deepInclude(sent?.body, { model: provider === "openai" ? "sonnet" : "sonnet-2026", [limit]: 100 })
      assert.notProperty(sent?.body, "stream")
      assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
      assert.deepEqual(await recorded("provider"), [[provider, 1, 10]])
      assert.deepEqual(await recorded("finish_reason"), [["stop", 1, 10]])
    })

    it("streams, and charges what the last of its events counts", async () => {
      upstream.plays(provider, streamsAs(form, [text("he", "llo")], usage))
      const key = await newKey()
      const answer = await ask(api, key, { stream: true })
      const events = await eventsOf(answer)
      const id = answer.headers.get("x-generation-id")
      const head = at(events[0], form === responsesForm ? "response" : "message")
      assert.deepInclude(head, { id, model: "acme/sonnet", provider })
      assert.deepEqual(
        events.map(({ type }) => type),
        form.events([text("he", "llo")], usage).map((event) => at(event, "type"))
      )
      const counted = events.findLast((event) => at(event, "usage") ?? at(event, "response", "usage"))
      const told = at(counted, "usage") ?? at(counted, "response", "usage")
      assert.deepInclude(told, { output_tokens: 3, cost: 0.01, is_byok: false })
      assert.strictEqual(upstream.calls()[0]?.body["stream"], true)
      assert.notProperty(upstream.calls()[0]?.body, "stream_options")
      assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
      assert.deepEqual(await recorded("finish_reason"), [["stop", 1, 10]])
    })

    it("holds the whole of its form while the upstream is at work, and settles in its place", async () => {
      const arrived = deferred()
      const go = deferred()
      upstream.plays(provider, async (called, response) => {
        arrived.resolve()
        await go.promise
        await answers(form, [text("hi")], usage)(called, response)
      })
      const key = await newKey()
      const long = "x".repeat(1_000)
      const told = form === responsesForm ? "instructions" : "system"
      const answer = ask(api, key, { [told]: long })
      await arrived.promise
      const { held } = await budgetOf(key)
      // A token a byte of all that the model reads, and what it may write.
      assert.isAtLeast(Number(held), 1.1)
      assert.isBelow(Number(held), 1.25)
      go.resolve()
      assert.strictEqual((await answer).status, 200)
      assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
    })

    it("is refused above the limit of its key, and nothing is sent", async () => {
      const key = await newKey({ limit: 1 })
      const told = form === responsesForm ? "instructions" : "system"
      for (const fields of [
        { [told]: "x".repeat(1_000) },
        { [limit]: 1_000 },
        { tools: [{ name: "x".repeat(1_000) }] }
      ]) {
        const answer = await ask(api, key, fields)
        assert.strictEqual(answer.status, 402)
        assert.include((await errorOf(answer)).message, "Key limit of $1.00 exceeded")
      }
      assert.deepEqual(upstream.calls(), [])
      assert.deepEqual(await budgetOf(key), { spent: "0", held: "0" })
    })

    for (const stream of [false, true])
      it(`charges cached, stored and thought tokens at their prices${stream ? " of a stream" : ""}`, async () => {
        const pricing = {
          prompt: "0.001",
          completion: "0.001",
          input_cache_read: "0.0001",
          input_cache_write: "0.002",
          internal_reasoning: "0.003"
        }
        await catalogOf({ pricing, supports_implicit_caching: true })
        const counted: ChatUsage = {
          prompt_tokens: 100,
          completion_tokens: 30,
          prompt_tokens_details: { cached_tokens: 50, cache_write_tokens: 20 },
          completion_tokens_details: { reasoning_tokens: 10 }
        }
        const script = stream ? streamsAs : answers
        upstream.plays(provider, script(form, [thinking("hm"), text("hi")], counted))
        const key = await newKey()
        const answer = await ask(api, key, { stream })
        assert.strictEqual(answer.status, 200)
        await answer.text()
        // 30 read, 50 cached, 20 stored; 20 written, 10 thought.
        assert.deepEqual(await budgetOf(key), { spent: "0.125", held: "0" })
      })

    it("is charged its prompt as counted, or as held, and what came, where a stream breaks off", async () => {
      const key = await newKey()
      upstream.plays(provider, breaksOff(form, [text("sixteen bytes :)", "more")], usage))
      const events = await eventsOf(await ask(api, key, { stream: true }))
      assert.strictEqual(events.at(-1)?.["type"], "error")
      assert.include(JSON.stringify(events.at(-1)), "Provider returned error")
      await settledOf(key)
      const { spent } = await budgetOf(key)
      // Anthropic counts what it read at the beginning.
      if (form === messagesForm) assert.strictEqual(spent, dollars(7 + 4))
      else assert.isAtLeast(Number(spent), '{"input":"hello"}'.length / 1000)
      assert.deepEqual(
        (await recorded("provider")).map(([name, count]) => [name, count]),
        [[provider, 1]]
      )
    })

    it("is charged as counted where its client leaves", async () => {
      const key = await newKey()
      const gone = deferred()
      upstream.plays(provider, waits(form, [text("first", "more")], usage, gone.promise))
      const client = new AbortController()
      const answer = await ask(api, key, { stream: true }, client.signal)
      await answer.body?.getReader().read()
      client.abort()
      await patienceBegun()
      gone.resolve()
      await settledOf(key)
      assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
    })

    it("is charged what came where its client leaves and the upstream does not end", async () => {
      const key = await newKey()
      const never = deferred()
      upstream.plays(provider, waits(form, [text("sixteen bytes :)", "more")], usage, never.promise))
      const client = new AbortController()
      const reader = (await ask(api, key, { stream: true }, client.signal)).body?.getReader()
      let read = ""
      while (!read.includes("sixteen")) read += new TextDecoder().decode((await reader?.read())?.value)
      client.abort()
      await patienceBegun()
      for (const giveUp of patience) giveUp()
      await upstream.calls()[0]?.left
      await settledOf(key)
      const { spent } = await budgetOf(key)
      if (form === messagesForm) assert.strictEqual(spent, dollars(7 + 4))
      else assert.isAtLeast(Number(spent), '{"input":"hello"}'.length / 1000)
      never.resolve()
    })

    it("is estimated where the upstream counts nothing", async () => {
      const key = await newKey()
      upstream.plays(provider, streamsAs(form, [text("twelve bytes")]))
      await (await ask(api, key, { stream: true })).text()
      await settledOf(key)
      assert.isAtLeast(Number((await budgetOf(key)).spent), 0.01)
    })

    it("is charged whoever it says it is", async () => {
      upstream.plays(provider, answers(form, [text("hi")], usage))
      const key = await newKey()
      assert.strictEqual((await ask(api, key, { user: "u".repeat(1_000) })).status, 200)
      assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
    })
  })

describe("/responses, what its tools cost", () => {
  const searching = { tools: [{ type: "web_search" }], max_tool_calls: 3 }
  const search = (type: string) => ({ id: "ws_1", type: "web_search_call", status: "completed", action: { type } })

  it("is what was searched, not what pages were opened, nor what was held", async () => {
    await catalogOf({ pricing: { prompt: "0", completion: "0", web_search: "0.01" } })
    for (const [output, spent] of [
      [[], "0"],
      [[search("search"), search("open_page"), search("search")], "0.02"]
    ] as const) {
      const key = await newKey()
      upstream.plays("openai", (_, response) =>
        response.end(JSON.stringify({ ...responsesForm.answer([text("hi")], usage), output }))
      )
      await bodyOf(await ask(responses, key, searching))
      assert.deepEqual(await budgetOf(key), { spent, held: "0" })
    }
  })

  it("has the searches of a stream's items, which its end may not repeat", async () => {
    await catalogOf({ pricing: { prompt: "0", completion: "0", web_search: "0.01" } })
    const items = [search("search"), search("open_page"), search("search")].map((item, output_index) => ({
      type: "response.output_item.done",
      output_index,
      item
    }))
    upstream.plays("openai", sends([...items, ...responsesForm.events([text("hi")], usage)]))
    const key = await newKey()
    await (await ask(responses, key, { ...searching, stream: true })).text()
    await settledOf(key)
    assert.deepEqual(await budgetOf(key), { spent: "0.02", held: "0" })
  })

  it("is nothing for those that the client runs", async () => {
    const key = await newKey()
    const tools = [{ type: "local_shell" }, { type: "apply_patch" }, { type: "custom", name: "c" }]
    upstream.plays("openai", answers(responsesForm, [text("hi")], usage))
    await bodyOf(await ask(responses, key, { tools }))
    assert.deepEqual(upstream.calls()[0]?.body["tools"], tools)
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
  })
})

describe("/messages, what its tools cost", () => {
  it("is nothing for those that the client runs", async () => {
    const key = await newKey()
    const tools = [
      { type: "bash_20250124", name: "bash" },
      { type: "text_editor_20250728", name: "str_replace_based_edit_tool" },
      { type: "memory_20250818", name: "memory" }
    ]
    upstream.plays("anthropic", answers(messagesForm, [text("hi")], usage))
    await bodyOf(await ask(messages, key, { tools, service_tier: "standard_only" }))
    assert.deepEqual(upstream.calls()[0]?.body["tools"], tools)
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
  })

  it("counts a cache for an hour at its price, and searches as the upstream does", async () => {
    const pricing = {
      prompt: "0.001",
      completion: "0",
      input_cache_write: "0.002",
      input_cache_write_1h: "0.004",
      web_search: "0.01"
    }
    // The hold has the context for each search.
    await catalogOf({ pricing, context_length: 100 })
    const key = await newKey()
    upstream.plays("anthropic", (_, response) =>
      response.end(
        JSON.stringify({
          ...messagesForm.answer([text("hi")]),
          usage: {
            input_tokens: 10,
            cache_creation_input_tokens: 30,
            cache_read_input_tokens: 0,
            cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 10 },
            output_tokens: 3,
            server_tool_use: { web_search_requests: 2 }
          }
        })
      )
    )
    const cache_control = { type: "ephemeral", ttl: "1h" }
    const tools = [{ type: "web_search_20250305", name: "web_search", max_uses: 5 }]
    await bodyOf(await ask(messages, key, { system: [{ type: "text", text: "be", cache_control }], tools }))
    // 10 read, 20 stored for minutes, 10 for an hour; 2 searches.
    assert.deepEqual(await budgetOf(key), { spent: "0.11", held: "0" })
  })

  it("is not less where the last event repeats only a part of what the first counted", async () => {
    const pricing = { prompt: "0.001", completion: "0.001", input_cache_read: "0.0001" }
    await catalogOf({ pricing })
    const events = messagesForm.events([text("hi")], {
      prompt_tokens: 17,
      completion_tokens: 3,
      prompt_tokens_details: { cached_tokens: 10 }
    })
    const last = {
      type: "message_delta",
      delta: { stop_reason: "max_tokens" },
      usage: { input_tokens: 7, output_tokens: 3 }
    }
    const key = await newKey()
    upstream.plays("anthropic", sends(events.map((event) => (at(event, "type") === "message_delta" ? last : event))))
    await (await ask(messages, key, { stream: true })).text()
    assert.deepEqual(await budgetOf(key), { spent: "0.011", held: "0" })
    assert.deepEqual(await recorded("finish_reason"), [["length", 1, 20]])
  })
})

describe("a count of zero in the last event of /messages", () => {
  const pricing = {
    prompt: "0.001",
    completion: "0.001",
    input_cache_read: "0.0001",
    input_cache_write: "0.002",
    input_cache_write_1h: "0.004"
  }
  const cached = { cache_read_input_tokens: 10, cache_creation_input_tokens: 5 }
  const hour = { ...cached, cache_creation: { ephemeral_1h_input_tokens: 5 } }

  for (const [what, first, last, spent] of [
    ["input", { input_tokens: 20 }, { input_tokens: 0 }, "0.023"],
    ["input beside caches", { input_tokens: 20, ...cached }, { input_tokens: 0, ...cached }, "0.034"],
    [
      "caches",
      { input_tokens: 20, ...cached },
      { input_tokens: 20, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
      "0.034"
    ],
    [
      "a cache for an hour",
      { input_tokens: 20, ...hour },
      { input_tokens: 20, cache_creation: { ephemeral_1h_input_tokens: 0 } },
      "0.044"
    ]
  ] as const)
    it(`replaces no earlier one: ${what}`, async () => {
      await catalogOf({ pricing })
      const key = await newKey()
      upstream.plays(
        "anthropic",
        sends([
          { type: "message_start", message: { content: [], usage: { ...first, output_tokens: 1 } } },
          { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { ...last, output_tokens: 3 } },
          { type: "message_stop" }
        ])
      )
      await (await ask(messages, key, { stream: true })).text()
      assert.deepEqual(await budgetOf(key), { spent, held: "0" })
    })

  it("is a count where none came before, and a later one adds to the prompt", async () => {
    await catalogOf({ pricing })
    const key = await newKey()
    upstream.plays(
      "anthropic",
      sends([
        { type: "message_start", message: { content: [], usage: { input_tokens: 20, output_tokens: 1 } } },
        {
          type: "message_delta",
          delta: { stop_reason: "end_turn" },
          usage: { input_tokens: 0, ...cached, output_tokens: 0 }
        },
        { type: "message_stop" }
      ])
    )
    await (await ask(messages, key, { stream: true })).text()
    assert.deepEqual(await budgetOf(key), { spent: "0.031", held: "0" })
  })
})

describe("/embeddings", () => {
  it("are answered and charged by their prompt", async () => {
    upstream.plays("openai", embeds(7))
    const key = await newKey()
    const answer = await embed(key, { dimensions: 3, encoding_format: "float", user: "u" })
    const body = await bodyOf(answer)
    assert.deepInclude(body, {
      id: answer.headers.get("x-generation-id"),
      object: "list",
      model: "acme/sonnet",
      provider: "openai"
    })
    assert.deepEqual(at(body, "data", 1, "embedding"), vector)
    assert.deepInclude(body["usage"], { prompt_tokens: 7, total_tokens: 7, cost: 0.007 })
    const [sent] = upstream.calls()
    assert.strictEqual(sent?.path, "/embeddings")
    assert.deepEqual(sent?.body, { model: "sonnet", input: ["one", "two"], dimensions: 3, encoding_format: "float" })
    assert.deepEqual(await budgetOf(key), { spent: "0.007", held: "0" })
    assert.deepEqual(await recorded("provider"), [["openai", 1, 7]])
  })

  it("are charged as held where nobody counts them", async () => {
    upstream.plays("openai", embeds())
    const key = await newKey()
    await bodyOf(await embed(key))
    assert.isAtLeast(Number((await budgetOf(key)).spent), '{"input":["one","two"]}'.length / 1000)
  })

  it("are refused above the limit of their key", async () => {
    const answer = await embed(await newKey({ limit: 1 }), { input: ["x".repeat(600), "x".repeat(600)] })
    assert.strictEqual(answer.status, 402)
    assert.deepEqual(upstream.calls(), [])
  })

  it("go to the next provider after a failure, and are no stream", async () => {
    await manage("PUT", "/gateway/catalog", {
      models: [
        catalogModel("acme/sonnet", {
          endpoints: ["groq", "anthropic", "openai"].map((provider) => catalogEndpoint(provider))
        })
      ]
    })
    upstream.plays("groq", refuses(responsesForm, 500))
    upstream.plays("openai", embeds(7))
    assert.strictEqual((await bodyOf(await embed(await newKey(), { stream: true })))["provider"], "openai")
    assert.deepEqual(
      upstream.calls().map(({ provider }) => provider),
      ["groq", "openai"]
    )
    assert.notProperty(upstream.calls()[1]?.body, "stream")
  })
})
