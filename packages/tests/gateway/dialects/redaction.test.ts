/**
 * The reference gateway at `/responses`, `/messages` and `/embeddings`: what filters read, and what is restored.
 *
 * Rule: content-filters#actions.
 */
import { assert, describe, it } from "@effect/vitest"
import { answers, call, sends, streamsAs, text, thinking, type Written } from "@gatewarden/testkit/upstream/ApiForm"
import { embeds } from "@gatewarden/testkit/upstream/embeddingsForm"
import { messagesForm, signature } from "@gatewarden/testkit/upstream/messagesForm"
import { encrypted, responsesForm } from "@gatewarden/testkit/upstream/responsesForm"
import { usage } from "../gatewayUnderTest.ts"
import {
  at,
  bodyOf,
  dialectsUnderTest,
  eventsOf,
  type Fields,
  messages,
  responses,
  spoken,
  type Spoken
} from "./dialectsUnderTest.ts"

const { ask, embed, newKey, patchGuardrail, upstream } = dialectsUnderTest()

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
  const args = '{"to":"[ACCOUNT_1]","cc":["[EMAIL_1]"],"[EMAIL_1]":"bcc"}'
  const restored = { to: quoted, cc: [secret], [secret]: "bcc" }
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
      { id: "mc_1", type: "mcp_call", name: "m", arguments: '{"to":"[EMAIL_1]"}', output: "to [EMAIL_1]" },
      { id: "ci_1", type: "code_interpreter_call", code: "[EMAIL_1]", outputs: [{ type: "logs", logs: "[EMAIL_1]" }] },
      {
        id: "m_1",
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "x", annotations: [{ type: "url_citation", title: "[EMAIL_1]" }] }]
      },
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
