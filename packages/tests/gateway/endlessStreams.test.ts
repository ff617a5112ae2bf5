/** The reference gateway before upstreams that stream without end what no token was granted for. */
import { assert, describe, it } from "@effect/vitest"
import { type ChatScript, delta, sendEvent, startStream } from "@gatewarden/testkit/upstream/chatUpstream"
import { deferred } from "./deferred.ts"
import { gatewayUnderTest, usage } from "./gatewayUnderTest.ts"
import { eventsOf } from "./streamEvents.ts"

const { ask, budgetOf, newKey, patienceBegun, settledOf, upstream } = gatewayUnderTest()

/** 100 tokens are granted. */
const most = 8 * 100 + 4_096

const event = `data: ${JSON.stringify(delta(""))}\n\n`
const tool = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index: 1 }] } }] })}\n\n`

/** Begins, and goes on with a text as long as anybody reads. */
const endless =
  (text: string, begin = event, until = Promise.resolve()): ChatScript =>
  async (_, response) => {
    startStream(response)
    response.write(begin)
    await until
    const go = () => {
      while (!response.destroyed && response.write(text.repeat(500)));
    }
    response.on("drain", go)
    go()
  }

/** A token a byte of the prompt: the upstream counts nothing, and writes nothing. */
const isPrompt = (spent: string) => {
  assert.isAtLeast(Number(spent), 0.02)
  assert.isBelow(Number(spent), 0.1)
}

/** The 100 tokens besides, because the model may have thought. */
const isHeld = (spent: string) => assert.isAtLeast(Number(spent), 0.12)

describe("a stream without end", () => {
  for (const [what, text] of [
    ["events without text", event],
    ["parts of tools", tool],
    ["null", "data: null\n\n"],
    ["comments", ":\n"],
    ["empty events", "\n"]
  ] as const) {
    it(`of ${what} is broken off, and charged as one that broke off`, async () => {
      upstream.plays("openai", endless(text))
      const key = await newKey()
      const told = await (await ask(key.key, { stream: true })).text()
      assert.include(told, '"finish_reason":"error"')
      assert.isAtMost(eventsOf(told).length, most + 2)
      await upstream.calls()[0]?.left
      await settledOf(key)
      isHeld((await budgetOf(key)).spent)
    })

    it(`of ${what} is not read on after its client has left`, async () => {
      const client = new AbortController()
      const gone = deferred()
      upstream.plays("openai", endless(text, `data: ${JSON.stringify(delta("a"))}\n\n`, gone.promise))
      const key = await newKey()
      await (await ask(key.key, { stream: true }, client.signal)).body?.getReader().read()
      client.abort()
      await patienceBegun()
      gone.resolve()
      await upstream.calls()[0]?.left
      await settledOf(key)
      isPrompt((await budgetOf(key)).spent)
    })
  }

  for (const text of [":\n", "data: null\n\n"])
    it(`of ${JSON.stringify(text)} and nothing else is given up`, async () => {
      upstream.plays("openai", endless(text, text))
      const key = await newKey()
      assert.strictEqual((await ask(key.key, { stream: true })).status, 502)
      await upstream.calls()[0]?.left
      isHeld((await budgetOf(key)).spent)
    })

  it("is whole with as many events as the choices of an answer may have", async () => {
    upstream.plays("openai", (_, response) => {
      startStream(response)
      response.write(event.repeat(most + 2 * 100 - 2))
      for (const last of [{ choices: [], usage }, "[DONE]"]) sendEvent(response, last)
      response.end()
    })
    const key = await newKey()
    const told = await (await ask(key.key, { stream: true, n: 2 })).text()
    assert.include(told, "data: [DONE]")
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
  })
})
