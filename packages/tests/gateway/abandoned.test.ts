/** The reference gateway. What leaving costs: a key pays for its streams what the owner of the upstream's key pays, whoever listens. */
import { assert, describe, it } from "@effect/vitest"
import { delta, sendEvent, startStream } from "@gatewarden/testkit/upstream/chatUpstream"
import { deferred } from "./deferred.ts"
import { gatewayUnderTest } from "./gatewayUnderTest.ts"

const { ask, budgetOf, newKey, patience, patienceBegun, settledOf, upstream } = gatewayUnderTest()

/** Streams that a client leaves after the first chunk, each with a tool that is most of what the model reads. */
const count = 10
const tools = [{ type: "function", function: { name: "f", description: "word ".repeat(1_000), parameters: {} } }]

/** A provider that is paid for all that it was sent and all that it writes, a dollar a thousand tokens as the catalog says. */
const billing = (pieces: number, until: Promise<void>) => {
  const bill = { tokens: 0 }
  upstream.plays("openai", async ({ body }, response) => {
    const prompt_tokens = Math.ceil(JSON.stringify([body["messages"], body["tools"]]).length / 4)
    bill.tokens += prompt_tokens
    startStream(response)
    for (let piece = 0; piece < pieces; piece++) {
      bill.tokens += 1
      sendEvent(response, delta("word"))
      if (piece === 0) await until
    }
    const usage = { prompt_tokens, completion_tokens: pieces }
    for (const event of [{ choices: [], usage }, "[DONE]"]) sendEvent(response, event)
    response.end()
  })
  return bill
}

/** Asks, reads one chunk, and leaves. */
const leaveAfterOne = async (key: string) => {
  const client = new AbortController()
  const answer = await ask(key, { stream: true, tools }, client.signal)
  assert.strictEqual(answer.status, 200)
  await answer.body?.getReader().read()
  client.abort()
}

describe("streams that are left after their first chunk", () => {
  it("cost the key what they cost the owner", async () => {
    const key = await newKey({ limit: 1_000 })
    const gone = deferred()
    const bill = billing(50, gone.promise)
    await Promise.all(Array.from({ length: count }, () => leaveAfterOne(key.key)))
    await patienceBegun(count)
    gone.resolve()
    await settledOf(key)
    assert.isAbove(bill.tokens, count * 1_000)
    assert.deepEqual(await budgetOf(key), { spent: String(bill.tokens / 1_000), held: "0" })
  })

  it("cost it no less where the gateway cannot wait for their end", async () => {
    const key = await newKey({ limit: 1_000 })
    const never = deferred()
    const bill = billing(50, never.promise)
    await Promise.all(Array.from({ length: count }, () => leaveAfterOne(key.key)))
    await patienceBegun(count)
    for (const giveUp of patience) giveUp()
    await settledOf(key)
    assert.isAtLeast(Number((await budgetOf(key)).spent), bill.tokens / 1_000)
    never.resolve()
  })
})
