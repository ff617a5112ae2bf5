/** The reference gateway at each of its APIs: what audio and images cost that the upstream does not count. Rule: money#cost-of-usage. */
import { assert, describe, it } from "@effect/vitest"
import { type ChatScript, json, sendEvent, startStream } from "@gatewarden/testkit/upstream/chatUpstream"
import { deferred } from "../deferred.ts"
import { hello, type MadeKey } from "../gatewayUnderTest.ts"
import { dialectsUnderTest, type Fields } from "./dialectsUnderTest.ts"

const { budgetOf, catalogOf, newKey, patience, patienceBegun, post, recorded, settledOf, upstream } =
  dialectsUnderTest()

const base64 = "A".repeat(4_000)
const pricing = { prompt: "0.001", completion: "0.001", audio_output: "0.008", image_output: "0.003" }

/** The most that 100 tokens cost. */
const mostWritten = 0.8

const spoken = { id: "a", data: base64, transcript: "word" }
const drawn = { type: "image_generation_call", id: "ig_1", status: "completed", result: base64 }
const images = [{ type: "image_url", image_url: { url: `data:image/png;base64,${base64}` } }]
const source = { type: "base64", media_type: "image/png", data: base64 }
const chat = { provider: "openai", path: "/chat/completions", asks: { messages: hello, max_tokens: 100 } }

/** `event`: of a stream, what brings the media. `ends`: what ends it in order. `reads`: a count of the prompt alone. */
const apis = [
  {
    ...chat,
    what: "audio",
    asks: { ...chat.asks, modalities: ["text", "audio"], audio: { voice: "alloy", format: "pcm16" } },
    answer: { choices: [{ index: 0, message: { role: "assistant", audio: spoken }, finish_reason: "stop" }] },
    event: { choices: [{ index: 0, delta: { audio: spoken } }] },
    ends: [{ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }],
    reads: { prompt_tokens: 7 }
  },
  {
    ...chat,
    what: "images",
    asks: { ...chat.asks, modalities: ["text", "image"] },
    answer: { choices: [{ index: 0, message: { role: "assistant", content: "ok", images }, finish_reason: "stop" }] },
    event: { choices: [{ index: 0, delta: { content: "ok", images } }] },
    ends: [{ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }],
    reads: { prompt_tokens: 7 }
  },
  {
    provider: "openai",
    path: "/responses",
    what: "images",
    asks: { input: "hello", max_output_tokens: 100 },
    answer: { object: "response", status: "completed", output: [drawn] },
    event: { type: "response.output_item.done", output_index: 0, item: drawn },
    ends: [{ type: "response.completed", response: { status: "completed", output: [drawn] } }],
    reads: { input_tokens: 7 }
  },
  {
    provider: "anthropic",
    path: "/messages",
    what: "images",
    asks: { messages: hello, max_tokens: 100 },
    answer: { type: "message", role: "assistant", content: [{ type: "image", source }], stop_reason: "end_turn" },
    event: { type: "content_block_start", index: 0, content_block: { type: "image", source } },
    ends: [{ type: "message_delta", delta: { stop_reason: "end_turn" } }, { type: "message_stop" }],
    reads: { input_tokens: 7 }
  }
] as const

const streams =
  (events: readonly object[], end: (response: Parameters<ChatScript>[1]) => void): ChatScript =>
  (_, response) => {
    startStream(response)
    for (const event of events) sendEvent(response, event)
    end(response)
  }

for (const { provider, path, what, asks, answer, event, ends, reads } of apis)
  describe(`${path}, ${what} that nobody counts`, () => {
    const ask = (key: MadeKey, fields: Fields, signal?: AbortSignal) =>
      post(path, {
        headers: { "content-type": "application/json", authorization: `Bearer ${key.key}` },
        body: JSON.stringify({ model: "acme/sonnet", ...asks, ...fields }),
        ...(signal === undefined ? {} : { signal })
      })

    /** A key, and what is held while the upstream works. */
    const playing = async (script: ChatScript) => {
      await catalogOf({ pricing })
      const key = await newKey()
      const holding: { held?: string | undefined } = {}
      upstream.plays(provider, async (call, response) => {
        holding.held = (await budgetOf(key)).held
        await script(call, response)
      })
      return { key, holding }
    }

    const scripts: readonly (readonly [string, boolean, ChatScript])[] = [
      ["an answer without usage", false, (_, response) => json(response, 200, answer)],
      ["an answer with empty usage", false, (_, response) => json(response, 200, { ...answer, usage: {} })],
      ["a stream that ends without usage", true, streams([event, ...ends], (response) => response.end())],
      ["a stream that breaks off", true, streams([event], (response) => setTimeout(() => response.destroy(), 20))]
    ]
    for (const [how, stream, script] of scripts)
      it(`cost all that was held: ${how}`, async () => {
        const { key, holding } = await playing(script)
        const told = await (await ask(key, { stream })).text()
        await settledOf(key)
        const { spent } = await budgetOf(key)
        assert.strictEqual(spent, holding.held)
        assert.isAbove(Number(spent), mostWritten)
        if (!how.includes("breaks")) assert.include(told, `"cost":${spent}`)
        // A count that is missing is recorded as none.
        assert.deepEqual(await recorded("provider"), [[provider, 1, 0]])
      })

    it("cost what was held of the completion where the prompt alone is counted", async () => {
      const { key } = await playing((_, response) => json(response, 200, { ...answer, usage: reads }))
      assert.strictEqual((await ask(key, {})).status, 200)
      assert.deepEqual(await budgetOf(key), { spent: "0.807", held: "0" })
    })

    it("cost all that was held where the client leaves and the upstream goes on for too long", async () => {
      const begun = deferred()
      const { key, holding } = await playing(streams([event], () => begun.resolve()))
      const leaving = new AbortController()
      const answered = await ask(key, { stream: true }, leaving.signal)
      await begun.promise
      await answered.body?.getReader().read()
      leaving.abort()
      await patienceBegun()
      for (const giveUp of patience) giveUp()
      await settledOf(key)
      assert.strictEqual((await budgetOf(key)).spent, holding.held)
    })
  })

describe("a budget, before audio that nobody counts", () => {
  it("ends where its holds end", async () => {
    const [audio] = apis
    await catalogOf({ pricing })
    upstream.plays(audio.provider, (_, response) => json(response, 200, audio.answer))
    const key = await newKey({ limit: 2 })
    const statuses: number[] = []
    for (let at = 0; at < 4; at++) {
      const answer = await post(audio.path, {
        headers: { "content-type": "application/json", authorization: `Bearer ${key.key}` },
        body: JSON.stringify({ model: "acme/sonnet", ...audio.asks })
      })
      statuses.push(answer.status)
    }
    assert.deepEqual(statuses, [200, 200, 402, 402])
  })
})
