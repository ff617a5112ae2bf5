/** The reference gateway at `/responses`, `/messages` and `/embeddings`: what is refused. */
import { assert, describe, it } from "@effect/vitest"
import { answers, text } from "@gatewarden/testkit/upstream/ApiForm"
import { messagesForm } from "@gatewarden/testkit/upstream/messagesForm"
import { responsesForm } from "@gatewarden/testkit/upstream/responsesForm"
import { managementKey, usage } from "../gatewayUnderTest.ts"
import {
  at,
  bodyOf,
  dialectsUnderTest,
  errorOf,
  type Fields,
  messages,
  responses,
  type Spoken
} from "./dialectsUnderTest.ts"

const { ask, budgetOf, embed, newKey, post, recorded, send, upstream } = dialectsUnderTest()

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
    ["input.0", { input: [{ id: "rs_1", type: "reasoning", summary: [] }] }],
    [
      "input.0.content.0.file_id",
      { input: [{ type: "citation", role: "user", content: [{ type: "input_file", file_id: "f" }] }] }
    ],
    ["input.0.input.0.file_id", { input: [{ role: "user", input: [{ type: "input_file", file_id: "f" }] }] }],
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

  it("names a hundred faults of a request that has more, the first ones, and no long path", async () => {
    const key = await newKey()
    const paths = (path: (index: number) => string) => Array.from({ length: 100 }, (_, index) => path(index))
    const many: readonly (readonly [Spoken, Fields, readonly string[]])[] = [
      [responses, { input: Array(300).fill({ id: "rs_1" }) }, paths((index) => `input.${index}`)],
      [
        responses,
        { input: "hi", tools: Array(300).fill({ type: "mcp", server_url: "https://m.example" }) },
        paths((index) => `tools.${index}`)
      ],
      [
        messages,
        block({ type: "text", text: "hi", ["x".repeat(100_000)]: Array(300).fill({ file_id: "file_1" }) }),
        paths((index) => `messages.0.content.0.*.${index}.file_id`)
      ]
    ]
    for (const [spoken, fields, named] of many)
      assert.deepEqual(pathsOf(await refused(await ask(spoken, key, fields), 400)), named)
    const deep = JSON.parse(`${'{"a_name_of_words":'.repeat(50)}[{"file_id":"f"}]${"}".repeat(50)}`) as Fields
    const [path = ""] = pathsOf(await refused(await ask(messages, key, block({ type: "text", text: "hi", deep })), 400))
    assert.lengthOf(path, 400)
  })

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
    ...["temperature", "top_p", "top_logprobs", "parallel_tool_calls", "service_tier"].flatMap((path) =>
      [["ada@example.com"], { to: "ada@example.com" }, "Ada@example.com"].map(
        (value) => [responses, path, { [path]: value }] as const
      )
    ),
    ...["temperature", "top_p", "top_k", "service_tier"].map(
      (path) => [messages, path, { [path]: "ada@example.com" }] as const
    ),
    [responses, "user", { user: "a\0b" }],
    [messages, "metadata.user_id", { metadata: { user_id: "a\0b" } }],
    [responses, "preset", { preset: "careful" }],
    [responses, "model", { model: "acme/sonnet@preset/careful" }],
    [responses, "input", { input: 7 }],
    [responses, "max_output_tokens", { max_output_tokens: 0 }],
    [messages, "mcp_servers", { mcp_servers: [{ type: "url", url: "https://m.example", name: "m" }] }],
    [messages, "container", { container: "container_1" }],
    [messages, "preset", { preset: "careful" }],
    [messages, "thinking.budget_tokens", { thinking: { type: "enabled", budget_tokens: "5000" } }],
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

  it("/chat/completions: tools and plugins that read what the gateway does not see", async () => {
    const key = await newKey()
    for (const [path, fields] of [
      ["tools.0", { tools: [{ type: "file_search" }] }],
      ["tools.0.retrieval.knowledge_id", { tools: [{ type: "retrieval", retrieval: { knowledge_id: "k" } }] }],
      ["plugins.0.file_ids", { plugins: [{ id: "file-parser", file_ids: ["f"] }] }]
    ] as const) {
      const asked = { model: "acme/sonnet", max_tokens: 10, messages: [{ role: "user", content: "hi" }] }
      const answer = await send("/chat/completions", key.key, { ...asked, ...fields })
      assert.include(pathsOf(await refused(answer, 400)), path)
    }
  })

  it("/chat/completions: files, and what was said, by their ids", async () => {
    const key = await newKey()
    for (const [path, message] of [
      ["content.0.file.file_id", { role: "user", content: [{ type: "file", file: { file_id: "file_1" } }] }],
      ["audio", { role: "assistant", content: null, audio: { id: "audio_1" } }],
      [
        "content.0.file.file_id",
        { role: "user", type: "citation", content: [{ type: "file", file: { file_id: "f" } }] }
      ]
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
