/** The reference gateway at `/responses`, `/messages` and `/embeddings`: what is held, charged, filtered, restored and refused. */
import { assert, describe, it } from "@effect/vitest"
import { catalogEndpoint, catalogModel } from "../../src/catalogModel.ts"
import {
  answers,
  type ApiForm,
  breaksOff,
  call,
  refuses,
  sends,
  streamsAs,
  text,
  thinking,
  waits,
  type Written
} from "../../src/upstream/ApiForm.ts"
import type { ChatUsage } from "../../src/upstream/chatUpstream.ts"
import { embeds, vector } from "../../src/upstream/embeddingsForm.ts"
import { messagesForm, signature } from "../../src/upstream/messagesForm.ts"
import { encrypted, responsesForm } from "../../src/upstream/responsesForm.ts"
import { deferred } from "./deferred.ts"
import { broughtKey, gatewayUnderTest, managementKey, type MadeKey, sharedKeys, usage } from "./gatewayUnderTest.ts"

const { budgetOf, manage, newKey, patience, patienceBegun, post, recorded, settledOf, upstream } = gatewayUnderTest()

type Fields = Readonly<Record<string, unknown>>

/** One API: who speaks it, and the least that it is asked. */
interface Spoken {
  readonly form: ApiForm
  readonly provider: "openai" | "anthropic"
  readonly asks: Fields
  /** How it names the limit of what is written. */
  readonly limit: string
}

const responses: Spoken = {
  form: responsesForm,
  provider: "openai",
  asks: { model: "acme/sonnet", input: "hello", max_output_tokens: 100 },
  limit: "max_output_tokens"
}
const messages: Spoken = {
  form: messagesForm,
  provider: "anthropic",
  asks: { model: "acme/sonnet", messages: [{ role: "user", content: "hello" }], max_tokens: 100 },
  limit: "max_tokens"
}
const spoken = [responses, messages]

const send = (
  path: string,
  key: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = { authorization: `Bearer ${key}` },
  signal: AbortSignal | null = null
) => post(path, { headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body), signal })

const ask = ({ form: { path }, asks }: Spoken, key: MadeKey, fields: Fields = {}, signal?: AbortSignal) =>
  send(path, key.key, { ...asks, ...fields }, undefined, signal)

const embed = (key: MadeKey, fields: Fields = {}) =>
  send("/embeddings", key.key, { model: "acme/sonnet", input: ["one", "two"], ...fields })

const bodyOf = async (answer: Response): Promise<Fields> => {
  const body = await answer.text()
  assert.strictEqual(answer.status, 200, body)
  return JSON.parse(body) as Fields
}

/** Events of a stream, each named after its type. */
const eventsOf = async (answer: Response): Promise<readonly Fields[]> => {
  assert.match(answer.headers.get("content-type") ?? "", /^text\/event-stream/, await answer.clone().text())
  const written = (await answer.text()).split("\n\n").filter((event) => event !== "")
  return written.map((event) => {
    const [, name, data = ""] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? assert.fail(event)
    const read = JSON.parse(data) as Fields
    assert.strictEqual(read["type"], name)
    return read
  })
}

const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (found, name) => (typeof found === "object" && found !== null ? Reflect.get(found, name) : undefined),
    value
  )

const errorOf = async (answer: Response) =>
  ((await answer.json()) as { readonly error: { readonly message: string; readonly metadata: Fields } }).error

const dollars = (tokens: number): string => String(Number((tokens / 1000).toFixed(9)))

const patchGuardrail = async (fields: object) => {
  const { data } = await manage("GET", "/workspaces/default")
  const { default_guardrail_id } = data as unknown as { readonly default_guardrail_id: string }
  await manage("PATCH", `/guardrails/${default_guardrail_id}`, fields)
}

const catalogOf = (fields: Parameters<typeof catalogEndpoint>[1]) =>
  manage("PUT", "/gateway/catalog", {
    models: [
      catalogModel("acme/sonnet", {
        endpoints: ["openai", "anthropic"].map((provider) => catalogEndpoint(provider, fields))
      })
    ]
  })

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
    await catalogOf({ pricing })
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

const secret = "ada@example.com"
/** Written inside JSON, its quote needs an escape. */
const quoted = 'acct-"7"'
const plain = `mail ${secret}, or ${quoted}`
const redacted = "mail [EMAIL_1], or [ACCOUNT_1]"

const redacting = async () => {
  await patchGuardrail({
    content_filter_builtins: [{ slug: "email", action: "redact" }],
    content_filters: [{ pattern: 'acct-"\\d"', action: "redact", label: "[ACCOUNT]" }]
  })
  return newKey()
}

/** Every place of a request that a model reads. */
const places: readonly (readonly [Spoken, string, (of: string) => Fields])[] = [
  [responses, "input", (of) => ({ input: of })],
  [responses, "an item", (of) => ({ input: [{ role: "user", content: [{ type: "input_text", text: of }] }] })],
  [responses, "a message", (of) => ({ input: [{ role: "user", content: of }] })],
  [
    responses,
    "the output of a function",
    (of) => ({ input: [{ type: "function_call_output", call_id: "call_1", output: of }] })
  ],
  [
    responses,
    "the arguments of a function",
    (of) => ({ input: [{ type: "function_call", call_id: "call_1", name: "f", arguments: JSON.stringify({ of }) }] })
  ],
  [
    responses,
    "the input of a custom tool",
    (of) => ({ input: [{ type: "custom_tool_call", call_id: "call_1", name: "f", input: of }] })
  ],
  [
    responses,
    "the command of a shell",
    (of) => ({
      input: [{ type: "local_shell_call", call_id: "call_1", action: { type: "exec", command: ["mail", of] } }]
    })
  ],
  [responses, "instructions", (of) => ({ instructions: of })],
  [responses, "a tool", (of) => ({ tools: [{ type: "function", name: "f", description: of, parameters: {} }] })],
  [responses, "a schema", (of) => ({ text: { format: { type: "json_schema", name: "s", schema: { title: of } } } })],
  [messages, "a message", (of) => ({ messages: [{ role: "user", content: of }] })],
  [messages, "a block", (of) => ({ messages: [{ role: "user", content: [{ type: "text", text: of }] }] })],
  [
    messages,
    "the result of a tool",
    (of) => ({ messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: of }] }] })
  ],
  [
    messages,
    "blocks of the result of a tool",
    (of) => ({
      messages: [
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: of }] }]
        }
      ]
    })
  ],
  [
    messages,
    "the input of a tool",
    (of) => ({
      messages: [{ role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "f", input: { of } }] }]
    })
  ],
  [messages, "system", (of) => ({ system: of })],
  [messages, "a block of system", (of) => ({ system: [{ type: "text", text: of }] })],
  [messages, "a tool", (of) => ({ tools: [{ name: "f", description: of, input_schema: { type: "object" } }] })],
  [messages, "metadata", (of) => ({ metadata: { user_id: of } })],
  [messages, "stop_sequences", (of) => ({ stop_sequences: [of] })]
]

describe("what filters read", () => {
  for (const [api, place, fields] of places)
    it(`${api.form.path}: ${place}`, async () => {
      const key = await redacting()
      upstream.plays(api.provider, answers(api.form, [text(redacted)], usage))
      const answer = await bodyOf(await ask(api, key, fields(plain)))
      const said = JSON.stringify(upstream.calls()[0]?.body)
      assert.include(said, JSON.stringify(fields(redacted)).slice(1, -1))
      assert.include(JSON.stringify(answer), JSON.stringify(plain).slice(1, -1))
      await patchGuardrail({ content_filter_builtins: [{ slug: "email", action: "block" }] })
      const blocked = await ask(api, key, fields(plain))
      assert.strictEqual(blocked.status, 403)
      assert.lengthOf(upstream.calls(), 1)
    })

  for (const input of [plain, ["one", plain]])
    it(`/embeddings: ${typeof input}`, async () => {
      const key = await redacting()
      upstream.plays("openai", embeds(7))
      await bodyOf(await embed(key, { input }))
      assert.deepEqual(upstream.calls()[0]?.body["input"], typeof input === "string" ? redacted : ["one", redacted])
      await patchGuardrail({ content_filter_builtins: [{ slug: "email", action: "block" }] })
      assert.strictEqual((await embed(key, { input })).status, 403)
      assert.lengthOf(upstream.calls(), 1)
    })
})

describe("what was redacted is back", () => {
  const args = '{"to":"[ACCOUNT_1]","cc":["[EMAIL_1]"]}'
  const restored = { to: quoted, cc: [secret] }
  const asks = { responses: { input: plain }, messages: { messages: [{ role: "user", content: plain }] } }
  const writtenIn = (size: number): readonly Written[] => {
    const cut = (whole: string) => whole.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []
    return [thinking(...cut("to [EMAIL_1]")), text(...cut(redacted)), call("mail", ...cut(args))]
  }

  it("in a whole response, but not in what is signed or encrypted", async () => {
    const key = await redacting()
    upstream.plays("openai", answers(responsesForm, writtenIn(99), usage))
    const { output } = await bodyOf(await ask(responses, key, asks.responses))
    assert.strictEqual(at(output, 0, "summary", 0, "text"), `to ${secret}`)
    assert.strictEqual(at(output, 0, "encrypted_content"), encrypted)
    assert.strictEqual(at(output, 1, "content", 0, "text"), plain)
    assert.deepEqual(JSON.parse(String(at(output, 2, "arguments"))), restored)
  })

  it("in a whole message, but not in what is signed or encrypted", async () => {
    const key = await redacting()
    upstream.plays("anthropic", answers(messagesForm, writtenIn(99), usage))
    const { content } = await bodyOf(await ask(messages, key, asks.messages))
    assert.deepEqual(at(content, 0), { type: "thinking", thinking: "to [EMAIL_1]", signature })
    assert.strictEqual(at(content, 1, "text"), plain)
    assert.deepEqual(at(content, 2, "input"), restored)
  })

  for (const size of [1, 2, 3, 5, 8, 13, 99]) {
    it(`in a stream of responses cut after ${size}, in its pieces and in what repeats them`, async () => {
      const key = await redacting()
      upstream.plays("openai", streamsAs(responsesForm, writtenIn(size), usage))
      const events = await eventsOf(await ask(responses, key, { ...asks.responses, stream: true }))
      const joined = (type: string) =>
        events.flatMap((event) => (event["type"] === `response.${type}.delta` ? [event["delta"]] : [])).join("")
      const done = (type: string) => events.filter((event) => event["type"] === `response.${type}.done`)
      assert.strictEqual(joined("output_text"), plain)
      assert.strictEqual(joined("reasoning_summary_text"), `to ${secret}`)
      assert.deepEqual(JSON.parse(joined("function_call_arguments")), restored)
      assert.strictEqual(done("output_text")[0]?.["text"], plain)
      assert.strictEqual(at(done("content_part")[0], "part", "text"), plain)
      assert.deepEqual(JSON.parse(String(done("function_call_arguments")[0]?.["arguments"])), restored)
      const items = done("output_item").map(({ item }) => item)
      assert.deepEqual(at(events.at(-1), "response", "output"), items)
      assert.strictEqual(at(items, 0, "encrypted_content"), encrypted)
      assert.strictEqual(at(items, 1, "content", 0, "text"), plain)
      assert.deepEqual(JSON.parse(String(at(items, 2, "arguments"))), restored)
      // What is left of a text comes before the event that ends it, and each event has the next number.
      const types = events.map(({ type }) => type)
      assert.isBelow(types.lastIndexOf("response.output_text.delta"), types.indexOf("response.output_text.done"))
      assert.deepEqual(
        events.map(({ sequence_number }) => sequence_number),
        events.map((_, index) => index)
      )
    })

    it(`in a stream of messages cut after ${size}`, async () => {
      const key = await redacting()
      upstream.plays("anthropic", streamsAs(messagesForm, writtenIn(size), usage))
      const events = await eventsOf(await ask(messages, key, { ...asks.messages, stream: true }))
      const joined = (name: string) =>
        events.flatMap(({ type, delta }) => (type === "content_block_delta" ? [at(delta, name) ?? ""] : [])).join("")
      assert.strictEqual(joined("text"), plain)
      assert.strictEqual(joined("thinking"), "to [EMAIL_1]")
      assert.strictEqual(joined("signature"), signature)
      assert.deepEqual(JSON.parse(joined("partial_json")), restored)
      // Every block's pieces lie between its start and its stop.
      for (const index of [0, 1, 2]) {
        const own = events.flatMap((event) => (event["index"] === index ? [event["type"]] : []))
        assert.strictEqual(own[0], "content_block_start")
        assert.strictEqual(own.at(-1), "content_block_stop")
      }
    })
  }

  it("in commands, patches and inputs that are no text", async () => {
    const key = await redacting()
    const output = [
      {
        id: "ls_1",
        type: "local_shell_call",
        call_id: "c1",
        status: "completed",
        action: { type: "exec", command: ["mail", "[EMAIL_1]"], env: { TO: "[EMAIL_1]" } }
      },
      { id: "sh_1", type: "shell_call", call_id: "c2", status: "completed", action: { commands: ["mail [EMAIL_1]"] } },
      {
        id: "ap_1",
        type: "apply_patch_call",
        call_id: "c3",
        status: "completed",
        operation: { type: "update_file", path: "a", diff: "+[EMAIL_1]" }
      },
      { id: "ct_1", type: "custom_tool_call", call_id: "c4", name: "c", input: "to [EMAIL_1]" },
      {
        id: "ws_1",
        type: "web_search_call",
        status: "completed",
        action: { type: "search", query: "[EMAIL_1]", queries: ["[EMAIL_1]"] }
      }
    ]
    upstream.plays("openai", (_, response) =>
      response.end(JSON.stringify({ ...responsesForm.answer([], usage), output }))
    )
    const answer = await bodyOf(await ask(responses, key, { input: secret }))
    assert.deepEqual(answer["output"], JSON.parse(JSON.stringify(output).replaceAll("[EMAIL_1]", secret)))
    const events = [
      ...responsesForm.events([], usage).slice(0, 2),
      ...output.flatMap((item, output_index) => [
        { type: "response.output_item.added", output_index, item },
        ...(item.type === "custom_tool_call"
          ? [
              { type: "response.custom_tool_call_input.delta", item_id: item.id, output_index, delta: "to [EMA" },
              { type: "response.custom_tool_call_input.delta", item_id: item.id, output_index, delta: "IL_1]" },
              { type: "response.custom_tool_call_input.done", item_id: item.id, output_index, input: item.input }
            ]
          : []),
        ...(item.type === "apply_patch_call"
          ? [
              { type: "response.apply_patch_call_operation_diff.delta", item_id: item.id, output_index, delta: "+[EM" },
              {
                type: "response.apply_patch_call_operation_diff.delta",
                item_id: item.id,
                output_index,
                delta: "AIL_1]"
              },
              {
                type: "response.apply_patch_call_operation_diff.done",
                item_id: item.id,
                output_index,
                diff: "+[EMAIL_1]"
              }
            ]
          : []),
        { type: "response.output_item.done", output_index, item }
      ]),
      { type: "response.completed", response: { ...responsesForm.answer([], usage), output } }
    ]
    upstream.plays("openai", sends(events))
    const streamed = await eventsOf(await ask(responses, key, { input: secret, stream: true }))
    assert.notInclude(JSON.stringify(streamed), "EMAIL_1")
    assert.notInclude(JSON.stringify(streamed), "[EM")
    assert.deepEqual(at(streamed.at(-1), "response", "output"), answer["output"])
  })

  it("in what a server tool of Anthropic was asked, and in citations", async () => {
    const key = await redacting()
    const used = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "[EMAIL_1]" } }
    const citation = { type: "char_location", cited_text: "to [EMAIL_1]", document_index: 0 }
    const [start, ping] = messagesForm.events([], usage)
    const end = messagesForm.events([], usage).slice(2)
    upstream.plays(
      "anthropic",
      sends([
        start ?? {},
        ping ?? {},
        { type: "content_block_start", index: 0, content_block: used },
        { type: "content_block_stop", index: 0 },
        { type: "content_block_start", index: 1, content_block: { type: "text", text: "to [EMA", citations: [] } },
        { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "IL_1]" } },
        { type: "content_block_delta", index: 1, delta: { type: "citations_delta", citation } },
        { type: "content_block_stop", index: 1 },
        ...end
      ])
    )
    const events = await eventsOf(
      await ask(messages, key, { messages: [{ role: "user", content: secret }], stream: true })
    )
    assert.notInclude(JSON.stringify(events), "EMAIL_1")
    const begun = events.find(({ type, index }) => type === "content_block_start" && index === 1)
    const pieces = events.flatMap(({ delta }) => at(delta, "text") ?? [])
    assert.strictEqual(String(at(begun, "content_block", "text")) + pieces.join(""), `to ${secret}`)
  })

  for (const api of spoken)
    it(`${api.form.path}: keeps nothing back of what only looks like the start of a placeholder`, async () => {
      const key = await redacting()
      const events = api.form.events([text("array[")], usage)
      // Some upstreams leave out what tells that a text is complete.
      const few = events.filter((event) => !/\.done$|block_stop$/.test(String(at(event, "type"))))
      for (const script of [sends(events), sends(few)]) {
        upstream.plays(api.provider, script)
        const fields = api === responses ? asks.responses : asks.messages
        const said = await (await ask(api, key, { ...fields, stream: true })).text()
        assert.match(said, /"(?:delta|text)":"array"[^]*"(?:delta|text)":"\["/)
      }
    })
})

const content = (part: Fields) => ({ input: [{ role: "user", content: [part] }] })
const block = (part: Fields) => ({ messages: [{ role: "user", content: [part] }] })

/** Of what an upstream keeps for the owner of its key. */
const references: Readonly<Record<"responses" | "messages", readonly (readonly [string, Fields])[]>> = {
  responses: [
    ["input.0.content.0.file_id", content({ type: "input_file", file_id: "file_1" })],
    ["input.0.content.0.file_id", content({ type: "input_image", file_id: "file_1", detail: "auto" })],
    [
      "input.0.output.0.file_id",
      { input: [{ type: "function_call_output", call_id: "c", output: [{ type: "input_file", file_id: "file_1" }] }] }
    ],
    [
      "input.0.output.file_id",
      {
        input: [{ type: "computer_call_output", call_id: "c", output: { type: "computer_screenshot", file_id: "f" } }]
      }
    ],
    ["input.0", { input: [{ id: "rs_1" }] }],
    ["input.0", { input: [{ id: "rs_1", type: null }] }],
    ["input.0", { input: [{ id: "ig_1", type: "image_generation_call" }] }],
    [
      "input.0.container_id",
      { input: [{ type: "code_interpreter_call", id: "ci_1", container_id: "cntr_1", code: "1", outputs: [] }] }
    ],
    [
      "input.0.tools.0",
      { input: [{ type: "tool_search_output", tools: [{ type: "mcp", server_url: "https://m.example" }] }] }
    ],
    ["tools.0.container", { tools: [{ type: "code_interpreter", container: "cntr_1" }] }],
    [
      "tools.0.container.file_ids",
      { tools: [{ type: "code_interpreter", container: { type: "auto", file_ids: ["file_1"] } }] }
    ],
    [
      "tools.0.environment",
      { tools: [{ type: "shell", environment: { type: "container_reference", container_id: "cntr_1" } }] }
    ],
    [
      "tools.0.environment.skills.0",
      {
        tools: [
          {
            type: "shell",
            environment: { type: "container_auto", skills: [{ type: "skill_reference", skill_id: "s" }] }
          }
        ]
      }
    ],
    ["tools.0.input_image_mask.file_id", { tools: [{ type: "image_generation", input_image_mask: { file_id: "f" } }] }]
  ],
  messages: [
    ["messages.0.content.0.source.file_id", block({ type: "document", source: { type: "file", file_id: "file_1" } })],
    ["messages.0.content.0.source.file_id", block({ type: "image", source: { type: "file", file_id: "file_1" } })],
    ["messages.0.content.0", block({ type: "container_upload", file_id: "file_1" })],
    [
      "messages.0.content.0.content.0.source.file_id",
      block({
        type: "tool_result",
        tool_use_id: "t",
        content: [{ type: "image", source: { type: "file", file_id: "file_1" } }]
      })
    ],
    ["system.0.source.file_id", { system: [{ type: "document", source: { type: "file", file_id: "file_1" } }] }],
    ["tools.0", { tools: [{ type: "mcp_toolset", mcp_server_name: "m" }] }]
  ]
}

describe("what is refused", () => {
  const refused = async (answer: Response, status: number) => {
    assert.strictEqual(answer.status, status, await answer.clone().text())
    assert.deepEqual(upstream.calls(), [])
    return errorOf(answer)
  }
  const pathsOf = ({ metadata }: { readonly metadata: Fields }) =>
    (metadata["issues"] as readonly { readonly path: string }[]).map(({ path }) => path)

  const cases: readonly (readonly [Spoken, string, Fields])[] = [
    [responses, "previous_response_id", { previous_response_id: "resp_1" }],
    [responses, "conversation", { conversation: "conv_1" }],
    [responses, "prompt", { prompt: { id: "pmpt_1" } }],
    [responses, "background", { background: true }],
    [
      responses,
      "input.1",
      {
        input: [
          { role: "user", content: "hi" },
          { type: "item_reference", id: "rs_1" }
        ]
      }
    ],
    [
      responses,
      "tools.1",
      {
        tools: [
          { type: "function", name: "f" },
          { type: "mcp", server_label: "m", server_url: "https://m.example" }
        ]
      }
    ],
    [responses, "tools.0", { tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] }],
    ...references.responses.map(([path, fields]) => [responses, path, fields] as const),
    ...references.messages.map(([path, fields]) => [messages, path, fields] as const),
    [responses, "user", { user: "a\0b" }],
    [messages, "user", { metadata: { user_id: "a\0b" } }],
    [responses, "preset", { preset: "careful" }],
    [responses, "model", { model: "acme/sonnet@preset/careful" }],
    [responses, "input", { input: 7 }],
    [responses, "max_output_tokens", { max_output_tokens: 0 }],
    [messages, "mcp_servers", { mcp_servers: [{ type: "url", url: "https://m.example", name: "m" }] }],
    [messages, "container", { container: "container_1" }],
    [messages, "preset", { preset: "careful" }],
    [messages, "model", { model: "@preset/careful" }],
    [messages, "max_tokens", { max_tokens: null }],
    [messages, "messages", { messages: [] }]
  ]
  for (const [api, path, fields] of cases)
    it(`${api.form.path}: ${path}`, async () => {
      const key = await newKey()
      assert.deepEqual(pathsOf(await refused(await ask(api, key, fields), 400)), [path])
      assert.deepEqual(await budgetOf(key), { spent: "0", held: "0" })
    })

  it("but no member of these names that is the client's own, and nothing that was cited", async () => {
    const schema = { type: "object", properties: { file_id: { type: "string" }, container: { const: "c" } } }
    const own = { file_id: "f", container_id: "c", vector_store_ids: ["v"], type: "mcp" }
    const cited = { type: "container_file_citation", container_id: "cntr_1", file_id: "cfile_1", filename: "a" }
    upstream.plays("openai", answers(responsesForm, [text("hi")], usage))
    await bodyOf(
      await ask(responses, await newKey(), {
        input: [
          { role: "user", content: "hi" },
          { type: "message", role: "assistant", content: [{ type: "output_text", text: "a", annotations: [cited] }] },
          { type: "function_call", call_id: "c", name: "f", arguments: JSON.stringify(own) },
          { type: "tool_search_call", arguments: own },
          { id: "ig_1", type: "image_generation_call", status: "completed", result: "aGk=" }
        ],
        tools: [{ type: "function", name: "f", parameters: schema }]
      })
    )
    upstream.plays("anthropic", answers(messagesForm, [text("hi")], usage))
    await bodyOf(
      await ask(messages, await newKey(), {
        messages: [
          { role: "user", content: "hi" },
          { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "f", input: own }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "x" }] }
        ],
        tools: [{ name: "f", input_schema: schema }]
      })
    )
  })

  it("/chat/completions: files, and what was said, by their ids", async () => {
    const key = await newKey()
    for (const [path, message] of [
      ["content.0.file.file_id", { role: "user", content: [{ type: "file", file: { file_id: "file_1" } }] }],
      ["audio", { role: "assistant", content: null, audio: { id: "audio_1" } }]
    ] as const) {
      const answer = await send("/chat/completions", key.key, {
        model: "acme/sonnet",
        max_tokens: 10,
        messages: [{ role: "user", content: "hi" }, message]
      })
      assert.deepEqual(pathsOf(await refused(answer, 400)), [`messages.1.${path}`])
    }
  })

  it("/embeddings: token ids, and presets", async () => {
    const key = await newKey()
    for (const input of [[1, 2], [[1], [2]], [], 7])
      assert.match(pathsOf(await refused(await embed(key, { input }), 400))[0] ?? "", /^input\b/)
    assert.deepEqual(pathsOf(await refused(await embed(key, { preset: "careful" }), 400)), ["preset"])
  })

  it("nothing of a `null`, which says nothing", async () => {
    upstream.plays("openai", answers(responsesForm, [text("hi")], usage))
    const nothing = { previous_response_id: null, conversation: null, prompt: null, background: false, tools: null }
    await bodyOf(await ask(responses, await newKey(), { ...nothing, instructions: null, stream: null }))
    assert.deepEqual(upstream.calls()[0]?.body, {
      model: "sonnet",
      input: "hello",
      store: false,
      max_output_tokens: 100
    })
  })

  it("a model that no provider answers at a path, with the paths that are", async () => {
    for (const [path, provider, body, paths] of [
      ["/responses", "anthropic", responses.asks, ["/chat/completions", "/messages"]],
      ["/messages", "openai", messages.asks, ["/chat/completions", "/responses", "/embeddings"]],
      ["/embeddings", "anthropic", { model: "acme/sonnet", input: "hi" }, ["/chat/completions", "/messages"]]
    ] as const) {
      const key = await newKey()
      const error = await refused(await send(path, key.key, { ...body, provider: { only: [provider] } }), 404)
      assert.strictEqual(
        error.message,
        `No provider of acme/sonnet answers ${path}. It is answered at ${paths.join(", ")}.`
      )
      assert.deepInclude(error.metadata, { reason: "api_not_spoken", paths })
      assert.deepEqual(await budgetOf(key), { spent: "0", held: "0" })
    }
    assert.deepEqual(await recorded("provider"), [])
  })

  it("in Anthropic's form at /messages", async () => {
    const poor = await newKey({ limit: 0.01 })
    const key = await newKey()
    for (const [answer, status, type] of [
      [ask(messages, poor), 402, "billing_error"],
      [ask(messages, key, { messages: [] }), 400, "invalid_request_error"],
      [ask(messages, key, { model: "acme/nothing" }), 404, "not_found_error"],
      [post("/messages", { body: "{}" }), 401, "authentication_error"],
      [send("/messages", managementKey, messages.asks), 403, "permission_error"]
    ] as const) {
      const told = await answer
      assert.strictEqual(told.status, status)
      const body = (await told.json()) as Fields
      assert.strictEqual(body["type"], "error")
      assert.deepInclude(body["error"], { type, code: status })
      assert.isString(at(body, "error", "message"))
      assert.strictEqual(body["request_id"], told.headers.get("x-request-id"))
    }
  })

  it("leads to a page on the reason", async () => {
    for (const path of ["/responses", "/messages", "/embeddings"]) {
      const answer = await send(path, "gw-v1-nobody", {})
      const asked = { ...responses.asks, ...messages.asks }
      const denied = await send(path, "gw-v1-nobody", asked)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(denied.status, 401)
      const { metadata } = await errorOf(denied)
      assert.strictEqual((await fetch(new URL(String(metadata["doc_url"]), denied.url))).status, 200)
    }
  })
})

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
