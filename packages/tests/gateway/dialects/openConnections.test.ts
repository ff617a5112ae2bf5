/** A provider that has said all, and keeps its connection open: nobody waits for it. */
import { assert, describe, it } from "@effect/vitest"
import { text } from "@gatewarden/testkit/upstream/ApiForm"
import { type ChatScript, delta, sendEvent, startStream } from "@gatewarden/testkit/upstream/chatUpstream"
import { hello, usage } from "../gatewayUnderTest.ts"
import { dialectsUnderTest, messages, responses } from "./dialectsUnderTest.ts"

const { ask, budgetOf, newKey, send, upstream } = dialectsUnderTest()

const keepsOpen =
  (events: readonly (object | string)[]): ChatScript =>
  (_, response) => {
    startStream(response)
    for (const event of events) if (event !== "[DONE]") sendEvent(response, event)
  }

describe("a stream that is whole", () => {
  for (const [spoken, end] of [
    [responses, "response.completed"],
    [messages, "message_stop"]
  ] as const)
    it(`ends with ${end}, though its connection stays open`, async () => {
      const { form, provider } = spoken
      upstream.plays(provider, keepsOpen(form.events([text("hi")], usage)))
      const key = await newKey()
      assert.include(await (await ask(spoken, key, { stream: true })).text(), end)
      assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
    })

  it("of a chat goes on behind the usage of its first choice", async () => {
    const second = { choices: [{ index: 1, delta: { content: "second" }, finish_reason: "stop" }] }
    upstream.plays("openai", (_, response) => {
      startStream(response)
      for (const event of [delta("hi", "stop"), { choices: [], usage }, second, { choices: [], usage }, "[DONE]"])
        sendEvent(response, event)
      response.end()
    })
    const key = await newKey()
    const asked = { model: "acme/sonnet", messages: hello, max_tokens: 100, n: 2, stream: true }
    assert.include(await (await send("/chat/completions", key.key, asked)).text(), "second")
  })
})
