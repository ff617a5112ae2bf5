/** The reference gateway. What a client is answered, whole or as a stream, and what is charged for it. */
import { assert, describe, it } from "@effect/vitest"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import { completes, delta, sendEvent, startStream, streams } from "@gatewarden/testkit/upstream/chatUpstream"
import { deferred } from "./deferred.ts"
import { costing, gatewayUnderTest, hello, sharedKeys, usage } from "./gatewayUnderTest.ts"
import { contentOf, eventsOf } from "./streamEvents.ts"

const { ask, budgetOf, gatewarden, manage, newKey, patience, patienceBegun, recorded, settledOf, tasks, upstream } =
  gatewayUnderTest()

describe("a complete answer", () => {
  it("comes from the first candidate, under the catalog's names, and is charged as the upstream says", async () => {
    upstream.plays("openai", completes("hi", usage))
    const key = await newKey()
    const answer = await ask(key.key, { temperature: 0.5, top_p: null, service_tier: "auto", user: "u" })
    assert.strictEqual(answer.status, 200)
    const body = (await answer.json()) as Record<string, unknown>
    const id = answer.headers.get("x-generation-id") ?? ""
    assert.match(id, /^\S{8,}$/)
    assert.deepInclude(body, { id, object: "chat.completion", model: "acme/sonnet", provider: "openai" })
    assert.deepEqual(body["usage"], costing(usage))
    const [call] = upstream.calls()
    assert.strictEqual(call?.authorization, `Bearer ${sharedKeys.openai}`)
    assert.deepEqual(call?.body, {
      model: "sonnet",
      messages: hello,
      temperature: 0.5,
      service_tier: "auto",
      max_completion_tokens: 100
    })
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
  })

  it("is charged for what was read from a cache and stored in it at the prices of that", async () => {
    const pricing = { prompt: "0.001", completion: "0.001", input_cache_read: "0.0001", input_cache_write: "0.002" }
    const endpoints = [catalogEndpoint("openai", { pricing })]
    await manage("PUT", "/gateway/catalog", { models: [catalogModel("acme/sonnet", { endpoints })] })
    const prompt_tokens_details = { cached_tokens: 2, cache_write_tokens: 4 }
    upstream.plays("openai", completes("hi", { ...usage, prompt_tokens_details }))
    const key = await newKey()
    assert.strictEqual((await ask(key.key)).status, 200)
    assert.deepEqual(await budgetOf(key), { spent: "0.0122", held: "0" })
  })

  it("is charged whoever it is said to be for", async () => {
    upstream.plays("openai", completes("hi", usage))
    const key = await newKey()
    assert.strictEqual((await ask(key.key, { user: "\u{1f680}".repeat(300) })).status, 200)
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
  })

  it("is not asked for where what is recorded of it could not be kept, so that it would cost nothing", async () => {
    const { key } = await newKey()
    const deep = (levels: number): object => (levels === 0 ? {} : { in: deep(levels - 1) })
    const nul = "a\0b"
    for (const fields of [
      { model: nul },
      { models: [nul] },
      { user: nul },
      { session_id: nul },
      { trace: { [nul]: 1 } },
      { trace: { of: [nul] } },
      { trace: deep(70) }
    ]) {
      const answer = await ask(key, fields)
      assert.strictEqual(answer.status, 400)
      assert.match(await answer.text(), new RegExp(`"path":"${Object.keys(fields)[0]}[".]`))
    }
    assert.deepEqual(upstream.calls(), [])
  })

  it("is capped where the client names no cap", async () => {
    upstream.plays("openai", completes("hi", usage))
    await ask((await newKey()).key, { max_tokens: undefined })
    assert.strictEqual(upstream.calls()[0]?.body["max_completion_tokens"], 4096)
  })

  it("is estimated where the upstream counts nothing, or what no request has", async () => {
    // 12 bytes written are 3 tokens, and what was read is a token a byte, as it was held.
    const [read, written] = [JSON.stringify(hello).length, 3]
    for (const [counted, tokens] of [
      [undefined, read + written],
      [{ prompt_tokens: 1e15, completion_tokens: 1e15 }, read + written],
      [{ ...usage, ...{ total_tokens: 1e15 } }, usage.prompt_tokens + usage.completion_tokens]
    ] as const) {
      upstream.plays("openai", completes("twelve bytes", counted))
      const key = await newKey()
      assert.strictEqual((await ask(key.key)).status, 200)
      assert.strictEqual(Number((await budgetOf(key)).spent), tokens / 1000)
    }
  })

  it("is charged though its client has gone", async () => {
    const key = await newKey()
    const arrived = deferred()
    const go = deferred()
    upstream.plays("openai", async (call, response) => {
      arrived.resolve()
      await go.promise
      completes("late", usage)(call, response)
    })
    const client = new AbortController()
    const answer = ask(key.key, {}, client.signal).catch(() => undefined)
    await arrived.promise
    client.abort()
    await answer
    go.resolve()
    await settledOf(key)
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
  })
})

describe("a stream", () => {
  it("arrives event by event, and is charged by its usage, which the client did not ask for", async () => {
    upstream.plays("openai", streams(["he", "llo", "!"], usage))
    const key = await newKey()
    const answer = await ask(key.key, { stream: true })
    assert.match(answer.headers.get("content-type") ?? "", /^text\/event-stream/)
    const events = eventsOf(await answer.text())
    assert.strictEqual(contentOf(events), "hello!")
    assert.strictEqual(events.length, 5)
    assert.strictEqual(events.at(-1), "[DONE]")
    const id = answer.headers.get("x-generation-id")
    assert.deepInclude(JSON.parse(events[0] ?? "") as object, { id, model: "acme/sonnet", provider: "openai" })
    // Clients that look at choices find one in it.
    assert.deepInclude(JSON.parse(events[3] ?? "") as object, {
      id,
      usage: costing(usage),
      choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]
    })
    assert.deepEqual(upstream.calls()[0]?.body["stream_options"], { include_usage: true })
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
  })

  it("has its usage where the client asks for it", async () => {
    upstream.plays("openai", streams(["hi"], usage))
    const answer = await ask((await newKey()).key, { stream: true, stream_options: { include_usage: true } })
    assert.deepInclude(JSON.parse(eventsOf(await answer.text()).at(-2) ?? "") as object, {
      usage: costing(usage),
      choices: []
    })
  })

  it("is read on when its client hangs up, and costs what the upstream counts", async () => {
    const key = await newKey()
    const gone = deferred()
    upstream.plays("openai", async (_, response) => {
      startStream(response)
      sendEvent(response, delta("sixteen bytes :)"))
      await gone.promise
      for (const piece of [delta("more", "stop"), { choices: [], usage }, "[DONE]"]) sendEvent(response, piece)
      response.end()
    })
    const client = new AbortController()
    const answer = await ask(key.key, { stream: true }, client.signal)
    const reader = answer.body?.getReader()
    assert.include(new TextDecoder().decode((await reader?.read())?.value), "sixteen")
    assert.strictEqual((await budgetOf(key)).spent, "0")
    client.abort()
    await patienceBegun()
    gone.resolve()
    await settledOf(key)
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
    assert.deepEqual(await recorded("finish_reason"), [["stop", 1, 10]])
  })

  it("is read on for so long, and no longer: the prompt is charged as it was held, and what came through", async () => {
    const key = await newKey()
    upstream.plays("openai", (_, response) => {
      startStream(response)
      // Four tokens, and then it goes on thinking.
      sendEvent(response, delta("sixteen bytes :)"))
    })
    const client = new AbortController()
    const answer = await ask(key.key, { stream: true }, client.signal)
    const reader = answer.body?.getReader()
    assert.include(new TextDecoder().decode((await reader?.read())?.value), "sixteen")
    const { held } = await budgetOf(key)
    client.abort()
    await patienceBegun()
    for (const giveUp of patience) giveUp()
    await upstream.calls()[0]?.left
    await settledOf(key)
    // Of what is held, a hundred tokens are for the completion.
    assert.closeTo(Number((await budgetOf(key)).spent), Number(held) - 0.1 + 0.004, 1e-9)
  })

  it("is charged its prompt when its client hangs up before the first event and none comes", async () => {
    const key = await newKey()
    const arrived = deferred()
    upstream.plays("openai", (_, response) => {
      startStream(response)
      response.flushHeaders()
      arrived.resolve()
    })
    const client = new AbortController()
    const answer = ask(key.key, { stream: true }, client.signal).catch(() => undefined)
    await arrived.promise
    const { held } = await budgetOf(key)
    client.abort()
    await answer
    await patienceBegun()
    for (const giveUp of patience) giveUp()
    await upstream.calls()[0]?.left
    await settledOf(key)
    assert.isAtLeast(Number((await budgetOf(key)).spent), Number(held) - 0.1)
    assert.strictEqual(upstream.calls().length, 1)
  })

  it("holds on to its money for as long as it lasts", async () => {
    const key = await newKey()
    const go = deferred()
    upstream.plays("openai", async (_, response) => {
      startStream(response)
      sendEvent(response, delta("long"))
      await go.promise
      sendEvent(response, "[DONE]")
      response.end()
    })
    const renewals: number[] = []
    const { renew } = gatewarden()
    Object.assign(gatewarden(), {
      renew: (id: string, hold_seconds?: number) => {
        renewals.push(hold_seconds ?? 0)
        return renew(id, hold_seconds)
      }
    })
    const answer = await ask(key.key, { stream: true })
    assert.strictEqual(tasks.size, 1)
    for (const task of tasks) task()
    assert.deepEqual(renewals, [600])
    go.resolve()
    await answer.text()
  })

  it("ends with an error that its client can read when the upstream breaks off", async () => {
    const key = await newKey()
    upstream.plays("openai", (_, response) => {
      startStream(response)
      response.write(`data: ${JSON.stringify(delta("four"))}\n\n`, () => response.destroy())
    })
    const events = eventsOf(await (await ask(key.key, { stream: true })).text())
    assert.strictEqual(contentOf(events.slice(0, 1)), "four")
    const last = JSON.parse(events.at(-1) ?? "") as Record<string, unknown>
    assert.deepEqual(last["error"], {
      code: 502,
      message: "Provider returned error",
      metadata: { error_type: "provider_unavailable" }
    })
    // Clients that look at choices alone learn of it too.
    assert.deepEqual(last["choices"], [{ index: 0, delta: { content: "" }, finish_reason: "error" }])
    assert.isAtLeast(Number((await budgetOf(key)).spent), JSON.stringify(hello).length / 1000)
  })
})
