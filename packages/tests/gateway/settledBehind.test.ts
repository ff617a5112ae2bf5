/** The reference gateway with answers that leave before they are settled. */
import { assert, describe, it } from "@effect/vitest"
import { memory } from "@gatewarden/core"
import { completes, delta, sendEvent, startStream } from "@gatewarden/testkit/upstream/chatUpstream"
import { deferred } from "./deferred.ts"
import { gatewayUnderTest, usage } from "./gatewayUnderTest.ts"

const { ask, budgetOf, failures, gateway, gatewarden, newKey, pauses, upstream } = gatewayUnderTest(
  () => ({}),
  memory,
  { settle: "behind", settled_behind: 2 }
)

/** Settlements wait until they may go on. Answers what was held how, and how many settlements have begun. */
const holdingBack = () => {
  const go = deferred()
  const admitted: unknown[] = []
  let begun = 0
  const { admit, settle } = gatewarden()
  Object.assign(gatewarden(), {
    admit: (request: Parameters<typeof admit>[0]) => {
      admitted.push(request.on_expiry)
      return admit(request)
    },
    settle: async (...sent: Parameters<typeof settle>) => {
      begun++
      await go.promise
      return settle(...sent)
    }
  })
  return { admitted, begun: () => begun, go: go.resolve }
}

const streams = () =>
  upstream.plays("openai", (_, response) => {
    startStream(response)
    sendEvent(response, delta("hi"))
    sendEvent(response, { choices: [], usage })
    sendEvent(response, "[DONE]")
    response.end()
  })

describe("an answer that leaves before its settlement", () => {
  for (const stream of [false, true])
    it(`is whole, its hold is charged on expiry, and the end of the process waits${stream ? ", of a stream" : ""}`, async () => {
      const key = await newKey()
      if (stream) streams()
      else upstream.plays("openai", completes("hi", usage))
      const { admitted, go } = holdingBack()
      const text = await (await ask(key.key, { stream })).text()
      if (stream) assert.include(text, "data: [DONE]")
      else assert.deepInclude(JSON.parse(text).usage, { cost: 0.01, total_tokens: 10 })
      assert.deepEqual(admitted, ["charge"])
      const { spent, held } = await budgetOf(key)
      assert.strictEqual(spent, "0")
      assert.isAbove(Number(held), 0)
      let isIdle = false
      const idle = gateway()
        .idle()
        .then(() => (isIdle = true))
      await new Promise(setImmediate)
      assert.isFalse(isIdle)
      go()
      await idle
      assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
    })

  it("waits for it once as many are under way as may be", async () => {
    const key = await newKey()
    upstream.plays("openai", completes("hi", usage))
    const { begun, go } = holdingBack()
    await ask(key.key)
    await ask(key.key)
    let isAnswered = false
    const third = ask(key.key).then(() => (isAnswered = true))
    const deadline = Date.now() + 10_000
    while (begun() < 3 && Date.now() < deadline) await new Promise(setImmediate)
    assert.isFalse(isAnswered)
    go()
    await third
    await gateway().idle()
    assert.deepEqual(await budgetOf(key), { spent: "0.03", held: "0" })
    // There is room again.
    const again = holdingBack()
    await ask(key.key)
    again.go()
  })

  it("is settled by further attempts while the store fails, and counts as under way meanwhile", async () => {
    const key = await newKey()
    upstream.plays("openai", completes("hi", usage))
    const { settle } = gatewarden()
    let attempts = 0
    Object.assign(gatewarden(), {
      settle: (...sent: Parameters<typeof settle>) =>
        ++attempts <= 2 ? Promise.reject(new Error("down")) : settle(...sent)
    })
    await ask(key.key)
    await gateway().idle()
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
    assert.deepEqual(pauses, [250, 500])
    assert.deepEqual(failures, [])
  })
})
