/** The reference gateway. What is charged, and settled, when something breaks. */
import { afterEach, assert, describe, it } from "@effect/vitest"
import { vi } from "vitest"
import { relayStream } from "../../../examples/gateway/src/relayStream.ts"
import { Tally } from "../../../examples/gateway/src/Tally.ts"
import { chat } from "../../../examples/gateway/src/dialects/chat.ts"
import { completes, delta, fails, json, sendEvent, startStream } from "@gatewarden/testkit/upstream/chatUpstream"
import { deferred } from "./deferred.ts"
import { errorOf } from "./errorOf.ts"
import { gatewayUnderTest, hello, usage } from "./gatewayUnderTest.ts"
import { GatewardenRefusal } from "@gatewarden/core"

const { ask, budgetOf, failures, gateway, gatewarden, manage, newKey, pauses, recorded, tasks, upstream } =
  gatewayUnderTest()

/** An upstream that waits with its answer. */
const waiting = () => {
  const arrived = deferred()
  const go = deferred()
  upstream.plays("openai", async (call, response) => {
    arrived.resolve()
    await go.promise
    completes("hi", usage)(call, response)
  })
  return { arrived: arrived.promise, go: go.resolve }
}

describe("an answer that takes long", () => {
  it("is waited for at the end of the process, also if its client left", async () => {
    const key = await newKey()
    const { arrived, go } = waiting()
    const client = new AbortController()
    const answer = ask(key.key, {}, client.signal).catch(() => undefined)
    await arrived
    client.abort()
    await answer
    const idle = gateway().idle()
    go()
    await idle
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
  })

  it("keeps its hold from the start of the request", async () => {
    const key = await newKey()
    const { arrived, go } = waiting()
    const renewals: number[] = []
    const { renew } = gatewarden()
    Object.assign(gatewarden(), {
      renew: (id: string, hold_seconds?: number) => {
        renewals.push(hold_seconds ?? 0)
        return renew(id, hold_seconds)
      }
    })
    const answer = ask(key.key)
    await arrived
    for (const task of tasks) task()
    go()
    assert.strictEqual((await answer).status, 200)
    assert.deepEqual(renewals, [600])
    assert.strictEqual(tasks.size, 0)
  })

  it("renews no hold after the request was refused or has failed", async () => {
    for (const status of [400, 500]) {
      upstream.plays("openai", fails(status))
      await ask((await newKey()).key)
      assert.strictEqual(tasks.size, 0)
    }
    await ask((await newKey()).key, { provider: { only: ["mistral"] } })
    assert.strictEqual(tasks.size, 0)
  })
})

describe("an answer that cannot be written", () => {
  afterEach(() => void vi.restoreAllMocks())

  for (const [counted, spent] of [
    [`,"usage":${JSON.stringify(usage)}`, 0.01],
    ["", JSON.stringify(hello).length / 1000]
  ] as const)
    it(`is charged ${counted === "" ? "as it was held" : "as it was counted"}`, async () => {
      const key = await newKey()
      vi.spyOn(chat, "whole").mockImplementation(() => {
        throw new RangeError("too deep")
      })
      upstream.plays("openai", (_, response) =>
        response.end(`{"choices":[{"index":0,"message":{"content":[]}}]${counted}}`)
      )
      const answer = await ask(key.key)
      assert.strictEqual(answer.status, 502)
      assert.strictEqual((await errorOf(answer)).message, "Provider returned error")
      const { spent: charged, held } = await budgetOf(key)
      assert.strictEqual(held, "0")
      assert.strictEqual(Number(charged), spent)
      assert.deepEqual(failures.splice(0), ["writing an answer"])
      assert.deepEqual(await recorded("provider"), [["openai", 1, counted === "" ? 0 : 10]])
    })
})

describe("usage that leaves something out", () => {
  it("is charged by its total, which may be the only count of what was thought", async () => {
    const key = await newKey()
    upstream.plays("openai", (_, response) =>
      json(response, 200, {
        choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
        usage: { ...usage, total_tokens: 30 }
      })
    )
    const { usage: told } = (await (await ask(key.key)).json()) as { readonly usage: Record<string, unknown> }
    assert.deepInclude(told, { prompt_tokens: 7, completion_tokens: 23, total_tokens: 30, cost: 0.03 })
    assert.deepEqual(await budgetOf(key), { spent: "0.03", held: "0" })
  })

  for (const [what, counted, prompt_tokens, completion_tokens] of [
    ["the completion", { prompt_tokens: 7, total_tokens: 30 }, 7, 23],
    ["the completion, as null", { prompt_tokens: 7, completion_tokens: null, total_tokens: 30 }, 7, 23],
    ["the prompt", { completion_tokens: 3, total_tokens: 30 }, 27, 3],
    ["both", { total_tokens: 30 }, 0, 30]
  ] as const)
    for (const stream of [false, true])
      it(`${what}, ${stream ? "of a stream " : ""}is charged by its total`, async () => {
        const key = await newKey()
        const end = { index: 0, finish_reason: "length" }
        upstream.plays("openai", (_, response) => {
          if (!stream) return json(response, 200, { choices: [{ ...end, message: { content: "" } }], usage: counted })
          startStream(response)
          sendEvent(response, { choices: [{ ...end, delta: { content: "" } }], usage: counted })
          sendEvent(response, "[DONE]")
          response.end()
        })
        const told = await (await ask(key.key, { stream })).text()
        assert.include(told, `"prompt_tokens":${prompt_tokens},"completion_tokens":${completion_tokens},`)
        assert.deepEqual(await budgetOf(key), { spent: "0.03", held: "0" })
      })

  it("and came early is charged together with what was written after it", async () => {
    const key = await newKey()
    upstream.plays("openai", (_, response) => {
      startStream(response)
      sendEvent(response, { ...delta("before"), usage: { prompt_tokens: 7, completion_tokens: 2 } })
      sendEvent(response, delta("sixteen bytes :)"))
      sendEvent(response, delta("more"))
      response.write("\n", () => response.destroy())
    })
    await (await ask(key.key, { stream: true })).text()
    assert.deepEqual(await budgetOf(key), { spent: "0.014", held: "0" })
  })

  it("and is repeated with every chunk is charged as the last says", async () => {
    const key = await newKey()
    upstream.plays("openai", (_, response) => {
      startStream(response)
      for (const completion_tokens of [1, 2, 3])
        sendEvent(response, { ...delta("sixteen bytes :)"), usage: { prompt_tokens: 7, completion_tokens } })
      sendEvent(response, "[DONE]")
      response.end()
    })
    await (await ask(key.key, { stream: true })).text()
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
  })
})

describe("a settlement", () => {
  /** Fails so often, and counts the attempts. */
  const failing = (times: number, cause: Error) => {
    const events: unknown[] = []
    const { settle } = gatewarden()
    Object.assign(gatewarden(), {
      settle: (...sent: Parameters<typeof settle>) => {
        events.push(sent[1])
        return events.length <= times ? Promise.reject(cause) : settle(...sent)
      }
    })
    return events
  }
  const down = new GatewardenRefusal({ status: 503, reason: "store_unavailable", issues: [] } as never)

  for (const stream of [false, true])
    it(`is tried again while the store fails, and its client does not wait for that${stream ? ", of a stream" : ""}`, async () => {
      const key = await newKey()
      upstream.plays("openai", (call, response) => {
        if (!stream) return completes("hi", usage)(call, response)
        startStream(response)
        sendEvent(response, delta("hi"))
        sendEvent(response, { choices: [], usage })
        sendEvent(response, "[DONE]")
        response.end()
      })
      const events = failing(3, down)
      assert.strictEqual((await ask(key.key, { stream })).status, 200)
      await gateway().idle()
      assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
      assert.lengthOf(events, 4)
      // The same event each time.
      for (const event of events) assert.deepEqual(event, events[0])
      assert.deepEqual(pauses, [250, 500, 1_000])
    })

  it("is given up after so many attempts, and the operator is told", async () => {
    const key = await newKey()
    upstream.plays("openai", completes("hi", usage))
    const events = failing(Number.POSITIVE_INFINITY, down)
    assert.strictEqual((await ask(key.key)).status, 200)
    await gateway().idle()
    assert.lengthOf(events, 6)
    assert.deepEqual(failures.splice(0), ["settling"])
  })

  const invalid = new GatewardenRefusal({ status: 400, reason: "invalid_request", issues: [] } as never)

  it("that is refused as invalid charges the same again, without the fields that may be refused", async () => {
    const key = await newKey({ limit: null })
    // Another attempt before is charged, too.
    upstream.plays("openai", (_, response) => json(response, 200, { error: { message: "x" }, usage }))
    upstream.plays("anthropic", completes("hi", usage))
    const events = failing(1, invalid)
    assert.strictEqual((await ask(key.key, { user: "u", trace: { a: 1 } })).status, 200)
    await gateway().idle()
    const { data } = await manage("GET", `/keys/${key.hash}`)
    assert.propertyVal(data, "usage", 0.02)
    assert.deepEqual(await recorded("provider"), [["anthropic", 1, 10]])
    assert.lengthOf(events, 2)
    for (const name of ["external_user", "trace", "finish_reason"]) assert.notProperty(events[1], name)
    assert.deepEqual(failures.splice(0), ["settling in full"])
  })

  it("that is refused is not tried again and again", async () => {
    for (const [cause, attempts, told] of [
      [invalid, 2, ["settling in full", "settling"]],
      [new GatewardenRefusal({ status: 404, reason: "not_found", issues: [] } as never), 1, ["settling"]]
    ] as const) {
      const key = await newKey()
      upstream.plays("openai", completes("hi", usage))
      const events = failing(attempts, cause)
      assert.strictEqual((await ask(key.key)).status, 200)
      await gateway().idle()
      assert.lengthOf(events, attempts)
      assert.deepEqual(failures.splice(0), [...told])
    }
  })

  it("happens to a stream whose end cannot be written", async () => {
    const settled: string[] = []
    const sent: string[] = []
    const events = (async function* () {
      yield JSON.stringify(delta("hi"))
    })()
    await relayStream(
      {
        events,
        abort: () => {},
        dialect: chat,
        tally: new Tally(chat, {}),
        room: { longest: 1, most: 1, take: async () => {}, add: async () => {}, turn: () => undefined, keep: () => {} },
        restore: undefined,
        shape: {
          push: () => [],
          isWhole: () => true,
          isLast: () => false,
          end: () => {
            throw new RangeError("too deep")
          },
          done: () => "done",
          broken: () => "broken"
        },
        onEnd: async (how) => void settled.push(how)
      },
      { left: new AbortController().signal, cut: () => {}, send: async (part) => void sent.push(String(part)) }
    )
    assert.deepEqual([settled, sent], [["error"], ["broken"]])
  })
})
