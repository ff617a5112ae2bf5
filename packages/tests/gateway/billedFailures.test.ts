/** The reference gateway before providers that fail and count tokens all the same: they may bill for them. */
import { assert, describe, it } from "@effect/vitest"
import {
  type ChatScript,
  completes,
  json,
  sendEvent,
  startStream,
  streams
} from "@gatewarden/testkit/upstream/chatUpstream"
import { dialectsUnderTest, errorOf, responses } from "./dialects/dialectsUnderTest.ts"
import { hello, usage } from "./gatewayUnderTest.ts"

const { ask: askAs, budgetOf, manage, newKey, recorded, send, upstream } = dialectsUnderTest()

const ask = (key: string, fields: object = {}) =>
  send("/chat/completions", key, { model: "acme/sonnet", messages: hello, max_tokens: 100, ...fields })

const error = { message: "content filter" }
const choices = [{ index: 0, message: { role: "assistant", content: "abc" } }]
const whole = (body: object): ChatScript => {
  return (_, response) => json(response, 200, body)
}
const begins =
  (event: object): ChatScript =>
  (_, response) => {
    startStream(response)
    sendEvent(response, event)
    response.end()
  }

/** Its connection ends in order, in the middle of what it answers. */
const endsIn =
  (type: string, text: string): ChatScript =>
  (_, response) => {
    response.writeHead(200, { "content-type": type, connection: "close" })
    response.end(text)
  }

const called = () => upstream.calls().map(({ provider }) => provider)

describe("an answer that ends before it is whole", () => {
  for (const [how, script, stream] of [
    ["in the middle of its JSON", endsIn("application/json", '{"choices":[{"index":0,"mess'), false],
    ["before its JSON", endsIn("application/json", ""), false],
    ["before the first event of a stream", endsIn("text/event-stream", ": working\n\n"), true],
    ["in the middle of that event", endsIn("text/event-stream", 'data: {"choices":[{"ind'), true],
    ["in the middle of the JSON of that event", endsIn("text/event-stream", 'data: {"choices":[{"ind\n\n'), true]
  ] as const)
    it(`${how} is charged as held, and is the only one that a budget pays for`, async () => {
      upstream.plays("openai", script)
      upstream.plays("anthropic", stream ? streams(["hi"], usage) : completes("hi", usage))
      const key = await newKey()
      const answer = await ask(key.key, { stream })
      assert.strictEqual(answer.status, 502)
      assert.include(JSON.stringify((await errorOf(answer)).metadata?.["issues"]), "billed_attempt")
      assert.deepEqual(called(), ["openai"])
      const { spent, held } = await budgetOf(key)
      assert.strictEqual(held, "0")
      // 100 tokens may have been written, or thought of.
      assert.isAtLeast(Number(spent), 0.13)
    })
})

describe("one object in answer to a stream", () => {
  for (const [what, body, spent] of [
    ["an answer with its count", { choices, usage }, "0.01"],
    ["an answer without a count", { choices }, "0.135"],
    ["an error with a count", { error, usage }, "0.01"]
  ] as const)
    it(`with ${what} is charged, and is the only one that a budget pays for`, async () => {
      upstream.plays("openai", whole(body))
      upstream.plays("anthropic", streams(["hi"], usage))
      const key = await newKey()
      assert.strictEqual((await ask(key.key, { stream: true })).status, 502)
      assert.deepEqual(called(), ["openai"])
      assert.deepEqual(await budgetOf(key), { spent, held: "0" })
    })

  it("is found behind empty lines and a byte order mark", async () => {
    upstream.plays("openai", (_, response) => {
      startStream(response)
      response.write("\n\r\n")
      response.end(`\ufeff ${JSON.stringify({ choices, usage })}`)
    })
    const key = await newKey()
    assert.strictEqual((await ask(key.key, { stream: true })).status, 502)
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
  })

  it("with an error alone costs nothing, and the next candidate is asked", async () => {
    upstream.plays("openai", whole({ error }))
    upstream.plays("anthropic", streams(["hi"], usage))
    const key = await newKey()
    assert.include(await (await ask(key.key, { stream: true })).text(), '"provider":"anthropic"')
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
  })
})

describe("a failure that counts tokens", () => {
  for (const [how, script, stream] of [
    ["with an answer beside its error", whole({ error, choices, usage }), false],
    ["without an answer", whole({ error, usage }), false],
    ["without an error", whole({ usage }), false],
    ["as the first event of a stream", begins({ error, choices: [], usage }), true]
  ] as const) {
    it(`${how} is charged as counted, and is the only one that a budget pays for`, async () => {
      upstream.plays("openai", script)
      upstream.plays("anthropic", completes("hi", usage))
      const key = await newKey()
      const answer = await ask(key.key, { stream })
      assert.strictEqual(answer.status, 502)
      assert.include(JSON.stringify((await errorOf(answer)).metadata?.["issues"]), "billed_attempt")
      assert.deepEqual(called(), ["openai"])
      assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
      assert.deepEqual(await recorded("provider"), [["openai", 1, 10]])
    })

    it(`${how} is charged beside the next one that answers, where no budget applies`, async () => {
      upstream.plays("openai", script)
      upstream.plays("anthropic", stream ? streams(["hi"], usage) : completes("hi", usage))
      const key = await newKey({ limit: null })
      const text = await (await ask(key.key, { stream })).text()
      assert.include(text, '"provider":"anthropic"')
      assert.deepEqual(called(), ["openai", "anthropic"])
      const { data } = await manage("GET", `/keys/${key.hash}`)
      assert.propertyVal(data, "usage", 0.02)
    })
  }

  it("is charged of /responses, whole and as an event", async () => {
    const response = {
      id: "r",
      status: "failed",
      error: { code: "server_error", message: "x" },
      output: [],
      usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 }
    }
    for (const [stream, script] of [
      [false, whole(response)],
      [true, begins({ type: "response.failed", response })]
    ] as const) {
      upstream.plays("openai", script)
      const key = await newKey()
      assert.strictEqual((await askAs(responses, key, { stream })).status, 502)
      assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
    }
  })

  it("is charged by a total that is its only count of what was written", async () => {
    upstream.plays("openai", whole({ error, usage: { prompt_tokens: 7, total_tokens: 10 } }))
    const key = await newKey()
    assert.strictEqual((await ask(key.key)).status, 502)
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
  })

  it("costs nothing if it counts none", async () => {
    upstream.plays("openai", whole({ error, usage: { prompt_tokens: 0, completion_tokens: 0 } }))
    upstream.plays("anthropic", completes("hi", usage))
    const key = await newKey()
    assert.strictEqual((await ask(key.key)).status, 200)
    assert.deepEqual(called(), ["openai", "anthropic"])
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
  })
})
