/** The reference gateway. What is charged for an answer whose tokens the upstream does not count: no more than was held. */
import { assert, describe, it } from "@effect/vitest"
import { Tally } from "../../../examples/gateway/src/Tally.ts"
import { chat } from "../../../examples/gateway/src/dialects/chat.ts"
import type { Dialect, Fields } from "../../../examples/gateway/src/dialects/Dialect.ts"
import { messages } from "../../../examples/gateway/src/dialects/messages.ts"
import { responses } from "../../../examples/gateway/src/dialects/responses.ts"
import { type ChatScript, delta, json, sendEvent, startStream } from "@gatewarden/testkit/upstream/chatUpstream"
import { gatewayUnderTest, usage } from "./gatewayUnderTest.ts"
import { contentOf, eventsOf } from "./streamEvents.ts"

const { ask, budgetOf, newKey, recorded, settledOf, upstream } = gatewayUnderTest()

/** Tokens by the estimate, of an answer that may have any number. */
const estimated = (dialect: Dialect, said: Fields, most: number | null = null, sent: Fields = {}) => {
  const tally = new Tally(dialect, sent)
  tally.grant(most)
  tally.add(said)
  return tally.settled.completion_tokens
}

const base64 = "A".repeat(4_000)
const said = (message: object) => ({ choices: [{ index: 0, message: { role: "assistant", ...message } }] })

describe("an estimate counts", () => {
  it("what the model wrote: no addresses, nothing that was fetched and nothing encrypted", () => {
    assert.strictEqual(estimated(chat, said({ content: "12345678" })), 2)
    const citation = { type: "url_citation", url_citation: { url: "https://e.example/image.png", title: "1234" } }
    assert.strictEqual(estimated(chat, said({ content: "1234", annotations: [citation] })), 2)
    const image_url = { url: `data:image/png;base64,${base64}` }
    const file = { content: [{ type: "image_url", image_url }] }
    assert.strictEqual(estimated(chat, said({ content: "1234", annotations: [{ type: "file", file }] })), 1)
    const found = { type: "web_search_result", url: "https://e.example", title: "1234", encrypted_content: base64 }
    const source = { type: "base64", media_type: "application/pdf", data: base64 }
    const fetched = { type: "web_fetch_result", url: "https://e.example", content: { type: "document", source } }
    for (const [result, tokens] of [
      [found, 1],
      [fetched, Math.ceil("application/pdf".length / 4)]
    ] as const) {
      const block = { type: "web_search_tool_result", tool_use_id: "", content: [result] }
      assert.strictEqual(estimated(messages, { type: "content_block_start", content_block: block }), tokens)
    }
    const call = { type: "tool_use", name: "1234", input: { image: { url: base64 }, data: base64, result: base64 } }
    assert.strictEqual(estimated(messages, { content: [call] }), 1)
    const executed_tools = [{ search_results: { images: ["https://e.example/1"] } }]
    assert.strictEqual(estimated(chat, said({ executed_tools })), 5)
    const asked = { type: "function", function: { name: "1234", arguments: { data: base64, result: base64 } } }
    assert.isDefined(estimated(chat, said({ tool_calls: [asked] })))
    assert.isDefined(estimated(chat, said({ content: "1234", result: "1234" })))
    assert.isDefined(estimated(chat, said({ audio: { id: "", data: "", transcript: "https://e.example" } })))
    assert.strictEqual(estimated(responses, { type: "response.audio.transcript.delta", delta: "1234" }), 1)
    const begun = { type: "image_generation_call", status: "in_progress", result: null }
    assert.strictEqual(estimated(responses, { type: "response.output_item.added", item: begun }), 0)
    assert.strictEqual(estimated(chat, said({ content: "1234", audio: { id: "", data: "", transcript: "" } })), 1)
  })

  it("a text of which no token is counted, and no less than was counted before", () => {
    const none = { prompt_tokens: 5, completion_tokens: 0 }
    assert.strictEqual(estimated(chat, { ...said({ content: "12345678" }), usage: none }), 2)
    assert.strictEqual(estimated(chat, { ...said({ content: "" }), usage: none }), 0)
    const tally = new Tally(chat, {})
    for (const completion_tokens of [800, 1]) tally.add({ choices: [], usage: { prompt_tokens: 5, completion_tokens } })
    assert.strictEqual(tally.settled.completion_tokens, 800)
  })

  it("what was thought and is encrypted, by its length", () => {
    const detail = { type: "reasoning.encrypted", data: base64 }
    assert.strictEqual(estimated(chat, said({ reasoning_details: [detail] })), 1_000)
    const content_block = { type: "redacted_thinking", data: base64 }
    assert.strictEqual(estimated(messages, { type: "content_block_start", content_block }), 1_000)
    const output = [{ id: "rs_1", type: "reasoning", summary: [], encrypted_content: base64 }]
    assert.strictEqual(estimated(responses, { status: "completed", output }), 1_000)
  })

  it("of /responses what came as a whole alone, and no text twice", () => {
    const tally = new Tally(responses, {})
    const counted = (...events: readonly Fields[]) => {
      for (const event of events) tally.addChunk(event)
      return tally.settled.completion_tokens
    }
    const text = "12345678"
    const item = { id: "m", type: "message", status: "completed", content: [{ type: "output_text", text }] }
    const piece = { type: "response.output_text.delta", output_index: 0, delta: text }
    const done = { type: "response.output_item.done", output_index: 0, item }
    assert.strictEqual(counted(piece, { type: "response.output_text.done", text }, done), 2)
    assert.strictEqual(counted(done), 4)
    const summary = [{ type: "summary_text", text }]
    const thought = { type: "reasoning", summary, encrypted_content: base64 }
    assert.strictEqual(counted({ ...piece, type: "response.reasoning_summary_text.delta" }), 6)
    assert.strictEqual(counted({ ...done, item: thought }), 1_006)
    assert.strictEqual(counted(piece), 1_008)
    assert.strictEqual(counted(done), 1_008)
  })

  it("what was thought once, in the longest of its forms", () => {
    const text = "12345678"
    const details = [{ type: "reasoning.text", text }]
    assert.strictEqual(estimated(chat, said({ reasoning: text, reasoning_details: details })), 2)
    assert.strictEqual(estimated(chat, said({ reasoning: text, reasoning_content: text, content: "1234" })), 3)
    assert.strictEqual(estimated(chat, said({ reasoning: "1", reasoning_details: details })), 2)
    assert.strictEqual(estimated(chat, said({ reasoning_details: details })), 2)
  })

  it("no more than was granted, for each answer, and never less than the upstream has counted", () => {
    const long = said({ content: "x".repeat(4_000) })
    assert.strictEqual(estimated(chat, long), 1_000)
    assert.strictEqual(estimated(chat, long, 10), 10)
    assert.strictEqual(estimated(chat, long, 10, { n: 3 }), 30)
    const tally = new Tally(chat, {})
    tally.grant(10)
    tally.add({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 12 } })
    tally.add(long)
    assert.strictEqual(tally.settled.completion_tokens, 12)
    assert.strictEqual(tally.usage.completion_tokens, 12)
  })
})

const dataUrl = `data:image/png;base64,${base64}`
const audio = said({ content: null, audio: { id: "a", data: base64, transcript: "1234", expires_at: 1 } })
const imageOf = (url: string) => ({ type: "image_url", image_url: { url } })
const drawn = { type: "image_generation_call", id: "ig_1", status: "completed", result: base64 }
const sourced = (source: object) => ({ type: "image", source })

describe("audio and images that nobody counts", () => {
  for (const [what, dialect, answer] of [
    ["audio of an answer", chat, audio],
    ["audio of a stream", chat, { choices: [{ index: 0, delta: { audio: { data: base64 } } }] }],
    ["an image", chat, said({ content: "1234", images: [imageOf(dataUrl)] })],
    ["the link of an image", chat, said({ content: "1234", images: [imageOf("https://e.example/1")] })],
    ["an image of another name", chat, said({ content: [{ inline_data: { mime_type: "image/png", data: base64 } }] })],
    ["the link of an image without an object", chat, said({ images: [{ image_url: "https://e.example/1" }] })],
    ["an image of a media type", chat, said({ content: [{ url: "gs://b/1", mime_type: "image/png" }] })],
    ["an image by its id", chat, said({ content: [{ type: "image", file_id: "file_1" }] })],
    [
      "an image in a part of a stream",
      responses,
      { type: "response.content_part.done", part: { type: "output_image", image_url: dataUrl } }
    ],
    ["a list of links of images", chat, said({ images: ["https://e.example/1"] })],
    ["a drawn image", responses, { output: [drawn] }],
    ["a drawn image of a stream", responses, { type: "response.output_item.done", item: drawn }],
    ["a drawn image of the last event", responses, { type: "response.completed", response: { output: [drawn] } }],
    ["a part of a drawn image", responses, { type: "response.image_generation_call.partial_image" }],
    ["audio", responses, { type: "response.audio.delta", delta: base64 }],
    ["audio by its later name", responses, { type: "response.output_audio.delta", delta: base64 }],
    ["an image", messages, { content: [sourced({ type: "base64", media_type: "image/png", data: base64 })] }],
    [
      "the link of an image in a stream",
      messages,
      { type: "content_block_start", content_block: sourced({ type: "url", url: "https://e.example/1" }) }
    ]
  ] as const)
    it(`are left to their hold: ${dialect.path}, ${what}`, () => {
      assert.strictEqual(estimated(dialect, answer, 10), undefined)
      const tally = new Tally(dialect, {})
      tally.add(answer)
      const usage = { prompt_tokens: 9, completion_tokens: 5, input_tokens: 9, output_tokens: 5 }
      tally.add({ choices: [], usage })
      assert.strictEqual(tally.settled.completion_tokens, 5)
    })

  it("are told to the client as all that was granted", () => {
    const tally = new Tally(chat, { n: 3 })
    tally.add(audio)
    assert.strictEqual(tally.usage.completion_tokens, 1)
    tally.grant(10)
    assert.strictEqual(tally.usage.completion_tokens, 30)
  })

  it("are left to their hold after an earlier count, unless that is all that was held", () => {
    for (const [completion_tokens, settled] of [
      [5, undefined],
      [10, 10],
      [12, 12]
    ] as const) {
      const tally = new Tally(chat, {})
      tally.grant(10)
      tally.add({ choices: [], usage: { prompt_tokens: 7, completion_tokens } })
      tally.add(audio)
      assert.strictEqual(tally.settled.completion_tokens, settled)
    }
  })
})

describe("a total without the prompt", () => {
  it("has the prompt's bytes counted once, however many events of a stream have one", () => {
    let reads = 0
    const tally = new Tally(chat, { toJSON: () => (reads++, "12345678") })
    for (let total_tokens = 6; total_tokens < 106; total_tokens++)
      tally.addChunk({ choices: [], usage: { completion_tokens: 5, total_tokens } })
    assert.deepInclude(tally.usage, { prompt_tokens: 10, completion_tokens: 95 })
    assert.strictEqual(reads, 1)
  })
})

describe("a count of zero", () => {
  const usage = { prompt_tokens: 0, completion_tokens: 0 }
  const counted = { choices: [], usage: { prompt_tokens: 30, completion_tokens: 90 } }

  it("is none, before, beside and after what is counted or written", () => {
    const tally = new Tally(chat, { messages: [] })
    tally.add({ ...said({ content: "12345678" }), usage })
    assert.deepInclude(tally.usage, { prompt_tokens: 15, completion_tokens: 2 })
    tally.add(counted)
    tally.add({ choices: [], usage })
    assert.deepInclude(tally.usage, { prompt_tokens: 30, completion_tokens: 90 })
  })
})

describe("a count that is missing", () => {
  const text = "12345678"
  const output = [{ type: "message", content: [{ type: "output_text", text }] }]
  const said = (usage: object) => ({ choices: [{ index: 0, message: { content: text } }], usage })
  const named = ({ prompt_tokens, completion_tokens, total_tokens }: Partial<Record<string, number>>) => ({
    output,
    usage: { input_tokens: prompt_tokens, output_tokens: completion_tokens, total_tokens }
  })
  /** As it was held: `{"input":"hello"}`. */
  const held = 17

  for (const [what, counted, prompt_tokens, completion_tokens] of [
    [
      "of what was written is what the total has beside the prompt",
      { prompt_tokens: 9, total_tokens: 5_009 },
      9,
      5_000
    ],
    ["of what was written is estimated where no total has it", { prompt_tokens: 9 }, 9, 2],
    ["of what was written is no less than estimated", { prompt_tokens: 9, total_tokens: 9 }, 9, 2],
    ["of the prompt is what the total has beside it", { completion_tokens: 5, total_tokens: 14 }, 9, 5],
    ["of the prompt is no more than was held", { completion_tokens: 5, total_tokens: 5_014 }, held, 4_997],
    ["of the prompt is what was held where no total has it", { completion_tokens: 5 }, held, 5],
    ["of both is all written", { total_tokens: 5_009 }, 0, 5_009]
  ] as const)
    for (const [dialect, answer] of [
      [chat, said(counted)],
      [responses, named(counted)]
    ] as const)
      it(`${what}: ${dialect.path}`, () => {
        const tally = new Tally(dialect, { input: "hello" })
        tally.add(answer)
        assert.deepInclude(tally.usage, { prompt_tokens, completion_tokens })
      })
})

const breaksOff =
  (...events: readonly object[]): ChatScript =>
  (_, response) => {
    startStream(response)
    for (const event of events) sendEvent(response, event)
    setTimeout(() => response.destroy(), 20)
  }

describe("an answer without a count", () => {
  it("costs no more than was held: a stream that breaks off, and a whole one", async () => {
    const spaces = " ".repeat(80_000)
    const message = { role: "assistant", content: spaces }
    for (const [stream, script] of [
      [true, breaksOff(delta(spaces))],
      [false, (_, response) => json(response, 200, { choices: [{ index: 0, message, finish_reason: "stop" }] })]
    ] as const satisfies readonly (readonly [boolean, ChatScript])[]) {
      upstream.plays("openai", script)
      const key = await newKey()
      await (await ask(key.key, { stream })).text()
      await settledOf(key)
      // 100 tokens, and the bytes of the prompt.
      assert.isAtMost(Number((await budgetOf(key)).spent), 0.14)
    }
  })
})

describe("a stream that ends in order", () => {
  const ends =
    (...events: readonly (object | string)[]): ChatScript =>
    (_, response) => {
      startStream(response)
      for (const event of events) sendEvent(response, event)
      response.end()
    }

  it("before it says that it is over is told to its client as broken off", async () => {
    upstream.plays("openai", ends(delta("half an ans")))
    const key = await newKey()
    const text = await (await ask(key.key, { stream: true })).text()
    assert.include(text, '"finish_reason":"error"')
    assert.notInclude(text, "[DONE]")
    await settledOf(key)
    assert.deepEqual(
      (await recorded("provider")).map(([name, count]) => [name, count]),
      [["openai", 1]]
    )
  })

  it("is whole where events without content come between others, also as the first", async () => {
    upstream.plays(
      "openai",
      ends("null", delta("an "), "null", '"ping"', "", delta("answer"), "1", { choices: [], usage })
    )
    const key = await newKey()
    const text = await (await ask(key.key, { stream: true })).text()
    assert.strictEqual(contentOf(eventsOf(text)), "an answer")
    assert.include(text, "data: [DONE]")
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
  })

  it("after an event that is no JSON is told as broken off", async () => {
    upstream.plays("openai", ends(delta("half"), "oops", delta(" an answer", "stop"), "[DONE]"))
    const text = await (await ask((await newKey()).key, { stream: true })).text()
    assert.include(text, '"finish_reason":"error"')
    assert.notInclude(text, "an answer")
  })

  for (const [how, last] of [
    ["a reason", delta("", "stop")],
    ["a count", { choices: [], usage }],
    ["[DONE]", "[DONE]"]
  ] as const)
    it(`with ${how} is whole`, async () => {
      upstream.plays("openai", ends(delta("an answer"), last))
      const text = await (await ask((await newKey()).key, { stream: true })).text()
      assert.include(text, "data: [DONE]")
      assert.notInclude(text, '"finish_reason":"error"')
    })
})
