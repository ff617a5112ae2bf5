/** The reference gateway over real HTTP: what reaches which upstream, what the client gets, and what is charged for it. */
import { createGatewarden, type Gatewarden, memory } from "@gatewarden/core"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { type Gateway, makeGateway } from "../../../examples/gateway/src/Gateway.ts"
import { listen } from "../../../examples/gateway/src/server.ts"
import { catalogEndpoint, catalogModel } from "../src/catalogModel.ts"
import {
  type ChatUpstream,
  completes,
  delta,
  fails,
  hangsUp,
  sendEvent,
  startChatUpstream,
  startStream,
  streams
} from "../src/upstream/chatUpstream.ts"

const managementKey = `test-${"m".repeat(40)}`
const broughtKey = "sk-brought-0123456789abcdefghij"
const sharedKeys = { openai: "sk-shared-openai-0123456789", anthropic: "sk-shared-anthropic-0123456789" }

/** A dollar a thousand tokens. */
const pricing = { prompt: "0.001", completion: "0.001" }
const model = catalogModel("acme/sonnet", {
  endpoints: ["openai", "anthropic", "mistral"].map((provider) => catalogEndpoint(provider, { pricing }))
})

let upstream: ChatUpstream
let gatewarden: Gatewarden
let gateway: Gateway
let server: Server
let url: string
/** What runs again and again, turned by hand. */
const tasks = new Set<() => void>()
const failures: string[] = []

beforeAll(async () => void (upstream = await startChatUpstream()))
afterAll(() => upstream?.close())

beforeEach(async () => {
  upstream.reset()
  gatewarden = await createGatewarden({ store: memory(), managementKey })
  gateway = makeGateway({
    gatewarden,
    upstreams: {
      openai: { base_url: upstream.baseUrl("openai"), api_key: sharedKeys.openai },
      anthropic: {
        base_url: upstream.baseUrl("anthropic"),
        api_key: sharedKeys.anthropic,
        models: { "acme/sonnet": "sonnet-2026" },
        token_limit_field: "max_tokens"
      }
    },
    every: (_, task) => {
      tasks.add(task)
      return () => void tasks.delete(task)
    },
    onFailure: (what) => void failures.push(what)
  })
  server = await listen(gatewarden, gateway, 0)
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
  await manage("PUT", "/gateway/catalog", { models: [model] })
})
afterEach(async () => {
  await gateway.idle()
  server.closeAllConnections()
  server.close()
  await gatewarden.close()
  assert.deepEqual(failures.splice(0), [])
  assert.strictEqual(tasks.size, 0)
})

const manage = async (method: string, path: string, body?: object) => {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  assert.strictEqual(answer.status, 200, await answer.clone().text())
  return (await answer.json()) as {
    readonly key: string
    readonly data: { readonly id: string; readonly hash: string }
  }
}

interface MadeKey {
  readonly key: string
  readonly hash: string
}
const newKey = async (fields: object = {}): Promise<MadeKey> => {
  const { key, data } = await manage("POST", "/keys", { name: "app", limit: 10, ...fields })
  return { key, hash: data.hash }
}

const ask = (key: string, fields: object = {}, signal?: AbortSignal) =>
  fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "acme/sonnet",
      messages: [{ role: "user", content: "hello" }],
      max_tokens: 100,
      ...fields
    }),
    ...(signal === undefined ? {} : { signal })
  })

/** What the key's limit knows. */
const budgetOf = async ({ hash }: MadeKey) => {
  const { budgets } = await gatewarden.explain({ api_key_hash: hash, model: "acme/sonnet" })
  const [budget] = budgets
  assert.isDefined(budget)
  return { spent: budget?.spent_usd, held: budget?.held_usd }
}

/** Sums of what was recorded. */
const recorded = async (dimension: string) => {
  const answer = await fetch(`${url}/analytics/query`, {
    method: "POST",
    headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
    body: JSON.stringify({ metrics: ["request_count", "tokens_total"], dimensions: [dimension] })
  })
  const { data } = (await answer.json()) as { readonly data: { readonly data: readonly Record<string, unknown>[] } }
  return data.data.map((row) => [row[dimension], row["request_count"], row["tokens_total"]])
}

const errorOf = async (answer: Response) =>
  ((await answer.json()) as { error: { code: number; message: string; metadata?: Record<string, unknown> } }).error

const usage = { prompt_tokens: 7, completion_tokens: 3 }
const hello = [{ role: "user", content: "hello" }]

describe("a complete answer", () => {
  it("comes from the first candidate, under the catalog's names, and is charged as the upstream says", async () => {
    upstream.plays("openai", completes("hi", usage))
    const key = await newKey()
    const answer = await ask(key.key, { temperature: 0.5, n: 4, service_tier: "priority", user: "u" })
    assert.strictEqual(answer.status, 200)
    const body = (await answer.json()) as Record<string, unknown>
    assert.deepInclude(body, { id: "cmpl-1", model: "acme/sonnet", provider: "openai", usage })
    const [call] = upstream.calls()
    assert.strictEqual(call?.authorization, `Bearer ${sharedKeys.openai}`)
    assert.deepEqual(call?.body, {
      model: "sonnet",
      messages: hello,
      temperature: 0.5,
      max_completion_tokens: 100
    })
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
    assert.match(answer.headers.get("x-generation-id") ?? "", /^\S{8,}$/)
  })

  it("is capped where the client names no cap", async () => {
    upstream.plays("openai", completes("hi", usage))
    await ask((await newKey()).key, { max_tokens: undefined })
    assert.strictEqual(upstream.calls()[0]?.body["max_completion_tokens"], 4096)
  })

  it("is estimated where the upstream counts nothing", async () => {
    upstream.plays("openai", completes("twelve bytes"))
    const key = await newKey()
    assert.strictEqual((await ask(key.key)).status, 200)
    const { spent } = await budgetOf(key)
    // 12 bytes written are 3 tokens, and 34 bytes read are 9.
    assert.strictEqual(spent, "0.012")
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

const deferred = () => {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve }
}

/** Waits until nothing of a key is held any more. */
const settledOf = async (key: MadeKey) => {
  const deadline = Date.now() + 10_000
  while ((await budgetOf(key)).held !== "0") {
    if (Date.now() > deadline) assert.fail("still held")
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const eventsOf = (text: string): readonly string[] =>
  text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => event.replace(/^data: /, ""))

const contentOf = (events: readonly string[]): string =>
  events
    .filter((event) => event !== "[DONE]")
    .map((event) => (JSON.parse(event) as ReturnType<typeof delta>).choices[0]?.delta.content ?? "")
    .join("")

describe("a stream", () => {
  it("arrives event by event, and is charged by its usage, which the client did not ask for", async () => {
    upstream.plays("openai", streams(["he", "llo", "!"], usage))
    const key = await newKey()
    const answer = await ask(key.key, { stream: true })
    assert.match(answer.headers.get("content-type") ?? "", /^text\/event-stream/)
    const events = eventsOf(await answer.text())
    assert.strictEqual(contentOf(events), "hello!")
    assert.strictEqual(events.length, 4)
    assert.strictEqual(events.at(-1), "[DONE]")
    assert.deepInclude(JSON.parse(events[0] ?? "") as object, { model: "acme/sonnet", provider: "openai" })
    assert.deepEqual(upstream.calls()[0]?.body["stream_options"], { include_usage: true })
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
  })

  it("has its usage where the client asks for it", async () => {
    upstream.plays("openai", streams(["hi"], usage))
    const answer = await ask((await newKey()).key, { stream: true, stream_options: { include_usage: true } })
    assert.deepInclude(JSON.parse(eventsOf(await answer.text()).at(-2) ?? "") as object, { usage, choices: [] })
  })

  it("is stopped upstream when its client hangs up, and what came so far is charged", async () => {
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
    assert.strictEqual((await budgetOf(key)).spent, "0")
    client.abort()
    await upstream.calls()[0]?.left
    await settledOf(key)
    assert.deepEqual(await budgetOf(key), { spent: "0.013", held: "0" })
  })

  it("is given up when its client hangs up before the first event", async () => {
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
    client.abort()
    await answer
    await upstream.calls()[0]?.left
    await settledOf(key)
    assert.deepEqual(await budgetOf(key), { spent: "0.009", held: "0" })
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
    const { renew } = gatewarden
    gatewarden = Object.assign(gatewarden, {
      renew: (id: string, hold_seconds?: number) => {
        renewals.push(hold_seconds ?? 0)
        return renew(id, hold_seconds)
      }
    })
    const answer = await ask(key.key, { stream: true })
    assert.strictEqual(tasks.size, 1)
    for (const task of tasks) task()
    await gateway.idle()
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
    assert.deepEqual(JSON.parse(events.at(-1) ?? ""), { error: { code: 502, message: "Provider returned error" } })
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
  })
})

describe("failover", () => {
  for (const [how, script] of [
    ["a refusal", fails(429)],
    ["an error", fails(500)],
    ["a rejected key", fails(401)],
    ["a lost connection", hangsUp]
  ] as const)
    for (const stream of [false, true])
      it(`goes to the next candidate after ${how}${stream ? " of a stream" : ""}`, async () => {
        upstream.plays("openai", script)
        upstream.plays("anthropic", stream ? streams(["hi"], usage) : completes("hi", usage))
        const key = await newKey()
        const answer = await ask(key.key, { stream })
        assert.strictEqual(answer.status, 200)
        assert.include(await answer.text(), '"provider":"anthropic"')
        const [, second] = upstream.calls()
        assert.deepInclude(second?.body, { model: "sonnet-2026", max_tokens: 100 })
        assert.notProperty(second?.body, "max_completion_tokens")
        assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
        assert.deepEqual(await recorded("provider"), [["anthropic", 1, 10]])
      })

  it("happens too when a stream begins with an error, or without anything", async () => {
    for (const begin of [{ error: { message: "overloaded" } }, "[DONE]"]) {
      upstream.plays("openai", (_, response) => {
        startStream(response)
        sendEvent(response, begin)
        response.end()
      })
      upstream.plays("anthropic", streams(["hi"], usage))
      assert.include(await (await ask((await newKey()).key, { stream: true })).text(), '"provider":"anthropic"')
    }
  })

  it("tells of every attempt when all have failed, and charges nothing", async () => {
    upstream.plays("openai", fails(429))
    const key = await newKey()
    const answer = await ask(key.key)
    assert.strictEqual(answer.status, 502)
    assert.deepEqual((await errorOf(answer)).metadata, {
      attempts: [
        { provider: "openai", status: 429 },
        { provider: "anthropic", status: 503 }
      ]
    })
    assert.deepEqual(await budgetOf(key), { spent: "0", held: "0" })
    upstream.plays("anthropic", fails(429))
    assert.strictEqual((await ask(key.key)).status, 429)
  })

  it("does not happen for a request that the upstream calls wrong", async () => {
    upstream.plays("openai", fails(400, `no such tool, says ${sharedKeys.openai}`))
    upstream.plays("anthropic", completes("hi", usage))
    const key = await newKey()
    const answer = await ask(key.key)
    assert.strictEqual(answer.status, 400)
    const { message, metadata } = await errorOf(answer)
    assert.strictEqual(message, "Provider returned error")
    // The upstream repeated its key, so that its words stay here.
    assert.deepEqual(metadata, { provider: "openai", message: null })
    assert.strictEqual(upstream.calls().length, 1)
    assert.deepEqual(await budgetOf(key), { spent: "0", held: "0" })
  })

  it("has nowhere to go when no upstream is configured", async () => {
    const key = await newKey()
    assert.strictEqual((await ask(key.key, { provider: { only: ["mistral"] } })).status, 503)
    assert.deepEqual(await budgetOf(key), { spent: "0", held: "0" })
  })
})

describe("a key that a workspace brings", () => {
  it("goes before shared capacity, to its own provider alone, and costs the budget nothing", async () => {
    await manage("POST", "/byok", { provider: "anthropic", key: broughtKey })
    upstream.plays("anthropic", fails(429))
    upstream.plays("openai", completes("hi", usage))
    const key = await newKey()
    assert.strictEqual((await ask(key.key)).status, 200)
    assert.deepEqual(
      upstream.calls().map(({ provider, authorization }) => [provider, authorization]),
      [
        ["anthropic", `Bearer ${broughtKey}`],
        ["openai", `Bearer ${sharedKeys.openai}`]
      ]
    )
    upstream.plays("anthropic", completes("hi", usage))
    assert.strictEqual((await ask(key.key)).status, 200)
    assert.deepEqual(await budgetOf(key), { spent: "0.01", held: "0" })
  })

  it("comes last when it is a fallback", async () => {
    await manage("POST", "/byok", { provider: "openai", key: broughtKey, is_fallback: true })
    upstream.plays("openai", (call, response) => {
      const script = call.authorization === `Bearer ${broughtKey}` ? completes("hi", usage) : fails(429)
      return script(call, response)
    })
    assert.strictEqual((await ask((await newKey()).key)).status, 200)
    assert.deepEqual(
      upstream.calls().map(({ authorization }) => authorization),
      [`Bearer ${sharedKeys.openai}`, `Bearer ${sharedKeys.anthropic}`, `Bearer ${broughtKey}`]
    )
  })
})

describe("presets", () => {
  const tool = (name: string, description: string) => ({ type: "function", function: { name, description } })

  it("bring what the request does not say, and unite its tools", async () => {
    const { key } = await newKey()
    const made = await fetch(`${url}/presets/careful/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "acme/sonnet",
        temperature: 0.1,
        max_tokens: 12,
        provider: { only: ["anthropic"] },
        tools: [tool("a", "preset"), tool("b", "preset")],
        messages: [{ role: "system", content: "Be careful." }]
      })
    })
    assert.strictEqual(made.status, 200, await made.text())
    upstream.plays("anthropic", completes("hi", usage))
    const answer = await ask(key, {
      model: "@preset/careful",
      max_tokens: undefined,
      tools: [tool("b", "request"), tool("c", "request")]
    })
    assert.strictEqual(answer.status, 200, await answer.clone().text())
    assert.deepEqual(upstream.calls()[0]?.body, {
      model: "sonnet-2026",
      max_tokens: 12,
      temperature: 0.1,
      tools: [tool("a", "preset"), tool("b", "request"), tool("c", "request")],
      messages: [{ role: "system", content: "Be careful." }, ...hello]
    })
  })
})

describe("what a guardrail redacts", () => {
  const secret = "ada@example.com"
  // Written inside JSON, its quote needs an escape.
  const quoted = 'acct-"7"'
  const messages = [{ role: "user", content: `mail ${secret}, or ${quoted}` }]
  const redacting = async () => {
    const { data } = await manage("GET", "/workspaces/default")
    const { default_guardrail_id } = data as unknown as { readonly default_guardrail_id: string }
    await manage("PATCH", `/guardrails/${default_guardrail_id}`, {
      content_filter_builtins: [{ slug: "email", action: "redact" }],
      content_filters: [{ pattern: 'acct-"\\d"', action: "redact", label: "[ACCOUNT]" }]
    })
    return newKey()
  }
  const redacted = "mail [EMAIL_1], or [ACCOUNT_1]"

  it("reaches no provider, and is back in the answer and in the arguments of tools", async () => {
    const { key } = await redacting()
    upstream.plays("openai", (_, response) =>
      response.end(
        JSON.stringify({
          choices: [
            {
              index: 0,
              finish_reason: "stop",
              message: {
                role: "assistant",
                content: redacted,
                tool_calls: [{ id: "[EMAIL_1]", function: { name: "f", arguments: '{"to":"[ACCOUNT_1]"}' } }]
              }
            }
          ],
          usage
        })
      )
    )
    const { choices } = (await (await ask(key, { messages })).json()) as {
      readonly choices: readonly {
        readonly message: {
          readonly content: string
          readonly tool_calls: readonly { readonly id: string; readonly function: { readonly arguments: string } }[]
        }
      }[]
    }
    assert.deepEqual(upstream.calls()[0]?.body["messages"], [{ role: "user", content: redacted }])
    const message = choices[0]?.message
    assert.strictEqual(message?.content, messages[0]?.content)
    assert.deepEqual(JSON.parse(message?.tool_calls[0]?.function.arguments ?? ""), { to: quoted })
    assert.strictEqual(message?.tool_calls[0]?.id, "[EMAIL_1]")
  })

  it("is back in a stream that cuts placeholders anywhere, text and arguments each on its own", async () => {
    const { key } = await redacting()
    const args = '{"to":"[ACCOUNT_1]","cc":"[EMAIL_1]"}'
    upstream.plays("openai", (_, response) => {
      startStream(response)
      for (let at = 0; at < Math.max(redacted.length, args.length); at++)
        sendEvent(response, {
          choices: [
            {
              index: 0,
              finish_reason: null,
              delta: {
                content: redacted[at] ?? "",
                tool_calls: [{ index: 0, function: { arguments: args[at] ?? "" } }]
              }
            }
          ]
        })
      // What looks like the start of a placeholder is no reason to keep it for ever.
      sendEvent(response, { choices: [{ index: 0, finish_reason: null, delta: { content: " [EMA" } }] })
      sendEvent(response, { choices: [{ index: 0, finish_reason: "stop", delta: {} }] })
      sendEvent(response, "[DONE]")
      response.end()
    })
    const events = eventsOf(await (await ask(key, { messages, stream: true })).text())
    assert.strictEqual(contentOf(events), `${messages[0]?.content} [EMA`)
    const written = events
      .filter((event) => event !== "[DONE]")
      .flatMap((event) => {
        const [choice] = (
          JSON.parse(event) as {
            readonly choices: readonly {
              readonly delta: { readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[] }
            }[]
          }
        ).choices
        return (choice?.delta.tool_calls ?? []).map((tool) => tool.function.arguments)
      })
    assert.deepEqual(JSON.parse(written.join("")), { to: quoted, cc: secret })
  })
})

describe("what is refused", () => {
  const refused = async (answer: Response, status: number) => {
    assert.strictEqual(answer.status, status)
    const error = await errorOf(answer)
    assert.strictEqual(error.code, status)
    assert.deepEqual(upstream.calls(), [])
    return error
  }

  it("has the status and text of the admission", async () => {
    const poor = await newKey({ limit: 0.01 })
    assert.strictEqual((await refused(await ask(poor.key), 402)).message, "Key limit of $0.01 exceeded.")
    const { key } = await newKey()
    assert.deepInclude((await refused(await ask(key, { model: "acme/nothing" }), 404)).metadata, {
      availability: { code: "no_endpoints" }
    })
    await refused(await ask(key, { provider: { only: ["nobody"] } }), 404)
    await refused(await ask(key, { model: "@preset/nothing" }), 404)
    const { data } = await manage("GET", "/workspaces/default")
    const { default_guardrail_id } = data as unknown as { readonly default_guardrail_id: string }
    await manage("PATCH", `/guardrails/${default_guardrail_id}`, { limit_usd: 0, reset_interval: "daily" })
    assert.include((await refused(await ask(key), 403)).message, "Guardrail budget of $0.00")
    await manage("PATCH", `/guardrails/${default_guardrail_id}`, {
      limit_usd: null,
      reset_interval: null,
      allowed_data_regions: ["europe"]
    })
    assert.include((await refused(await ask(key), 403)).message, "data region")
  })

  it("is what nobody may ask", async () => {
    await refused(await fetch(`${url}/chat/completions`, { method: "POST", body: "{}" }), 401)
    await refused(await ask("gw-v1-nobody"), 401)
    await refused(await ask(managementKey), 403)
  })

  it("is what cannot be read", async () => {
    const { key } = await newKey()
    const { metadata } = await refused(await ask(key, { messages: [], temperature: 9 }), 400)
    assert.sameMembers(
      (metadata as { readonly issues: readonly { readonly path: string }[] }).issues.map(({ path }) => path),
      ["messages", "temperature"]
    )
    await refused(await ask(key, { provider: { only: 1 } }), 400)
    const headers = { authorization: `Bearer ${key}` }
    await refused(await fetch(`${url}/chat/completions`, { method: "POST", headers, body: "{" }), 400)
    const body = `"${" ".repeat(33_554_432)}"`
    await refused(await fetch(`${url}/chat/completions`, { method: "POST", headers, body }), 413)
  })
})
