/** The reference gateway. Whoever asks for many long answers, and waits for none of them, leaves room for others. */
import { assert, describe, it } from "@effect/vitest"
import { defaultBodyLimits } from "@gatewarden/core/effect"
import { requestsInWork } from "../../../examples/gateway/src/requestsInWork.ts"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { completes, delta, sendEvent, startStream } from "@gatewarden/testkit/upstream/chatUpstream"
import { deferred } from "./deferred.ts"
import { gatewayUnderTest, usage } from "./gatewayUnderTest.ts"

/** What a request counts, and what a key may have in work. */
const bytes = 131_072
const ofKey = 8

const { ask, newKey, patienceBegun, upstream } = gatewayUnderTest(() => ({
  requests: requestsInWork(defaultBodyLimits, 8 * ofKey * bytes)
}))

describe("requests in work", () => {
  it("count after their clients have left: further ones of a key or its account are 429 until they are over", async () => {
    const keys = await Promise.all(Array.from({ length: 4 }, async () => (await newKey({ limit: 1_000 })).key))
    const [one = "", two = "", three = "", four = ""] = keys
    const go = deferred()
    upstream.plays("openai", async (call, response) => {
      if (call.body["stream"] !== true) return completes("hi", usage)(call, response)
      startStream(response)
      sendEvent(response, delta("word"))
      await go.promise
      for (const event of [{ choices: [], usage }, "[DONE]"]) sendEvent(response, event)
      response.end()
    })
    const leave = async (key: string) => {
      const client = new AbortController()
      const answer = await ask(key, { stream: true }, client.signal)
      assert.strictEqual(answer.status, 200)
      await answer.body?.getReader().read()
      client.abort()
    }
    const refused = async (key: string, whose: string) => {
      const answer = await ask(key)
      assert.strictEqual(answer.status, 429)
      assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/)
      const body: unknown = await answer.json()
      assert.nestedPropertyVal(body, "error.metadata.reason", "key_bodies_in_flight")
      assert.include(JSON.stringify(body), whose)
    }

    await Promise.all(Array.from({ length: ofKey }, () => leave(one)))
    await patienceBegun(ofKey)
    await refused(one, "of one key")
    // From here on its account counts as one, and a key has half of what its account has.
    await Promise.all([two, two, two, three, three, three].map(leave))
    await refused(four, "of the API keys of one account")
    go.resolve()
    await eventually("room", async () => ((await ask(one)).status === 200 ? true : undefined))
  })
})
