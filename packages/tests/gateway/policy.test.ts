/**
 * The reference gateway. What presets add, what guardrails redact, and what is refused before any upstream hears of it.
 *
 * Rule: content-filters#actions.
 */
import { assert, describe, it } from "@effect/vitest"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import { completes, delta, sendEvent, startStream } from "@gatewarden/testkit/upstream/chatUpstream"
import { errorOf } from "./errorOf.ts"
import { gatewayUnderTest, hello, managementKey, usage } from "./gatewayUnderTest.ts"
import { contentOf, eventsOf } from "./streamEvents.ts"

const { ask, budgetOf, manage, newKey, post, upstream } = gatewayUnderTest()

describe("presets", () => {
  const tool = (name: string, description: string) => ({ type: "function", function: { name, description } })

  it("bring what the request does not say, and unite its tools", async () => {
    const { key } = await newKey()
    const made = await post("/presets/careful/chat/completions", {
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

  it("refer to nothing that the gateway does not see", async () => {
    const key = await newKey({ limit: 1_000 })
    await manage("POST", "/presets/seeing/chat/completions", {
      model: "acme/sonnet",
      tools: [tool("a", "preset"), { type: "local_shell", container_id: "cntr_1" }],
      messages: hello
    })
    const answer = await ask(key.key, { model: "@preset/seeing" })
    assert.strictEqual(answer.status, 400, await answer.clone().text())
    assert.include(JSON.stringify(await errorOf(answer)), "tools.1.container_id")
    assert.deepEqual(upstream.calls(), [])
    assert.deepEqual(await budgetOf(key), { spent: "0", held: "0" })
  })
})

describe("a web search", () => {
  const searching = async (key: { readonly key: string }, web_search_options: object) =>
    ask(key.key, { web_search_options })

  it("is sent on, held at its price, and charged at what was held where nobody counts it", async () => {
    const endpoints = [catalogEndpoint("openai", { pricing: { prompt: "0", completion: "0", web_search: "0.01" } })]
    await manage("PUT", "/gateway/catalog", { models: [catalogModel("acme/sonnet", { endpoints })] })
    upstream.plays("openai", completes("hi", usage))
    const key = await newKey()
    assert.strictEqual((await searching(key, { max_uses: 3 })).status, 200)
    assert.deepEqual(upstream.calls()[0]?.body["web_search_options"], { max_uses: 3 })
    assert.deepEqual(await budgetOf(key), { spent: "0.03", held: "0" })
    const { message, metadata } = await errorOf(await searching(key, {}))
    assert.include(JSON.stringify([message, metadata]), "web_search_options.max_uses")
    assert.lengthOf(upstream.calls(), 1)
  })

  it("is refused where a budget applies and nobody knows its price", async () => {
    const { message, metadata } = await errorOf(await searching(await newKey(), { max_uses: 3 }))
    assert.include(JSON.stringify([message, metadata]), "web_search_options")
    assert.deepEqual(upstream.calls(), [])
  })
})

interface Delta {
  readonly reasoning?: string
  readonly tool_calls?: readonly { readonly index: number; readonly custom: { readonly input: string } }[]
  readonly function_call?: { readonly arguments: string }
  readonly audio?: { readonly transcript: string }
  readonly annotations?: readonly { readonly url_citation: { readonly title: string } }[]
}

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

  it("reaches no provider in tools either, nor in any other field", async () => {
    const { key } = await redacting()
    const tools = (of: string) => [{ type: "function", function: { name: "f", description: `writes to ${of}` } }]
    upstream.plays("openai", (_, response) =>
      response.end(JSON.stringify({ choices: [{ index: 0, message: { role: "assistant", content: "ok" } }], usage }))
    )
    await ask(key, { messages: [{ role: "user", content: "hi" }], tools: tools(secret), stop: [secret] })
    const [call] = upstream.calls()
    assert.deepInclude(call?.body, { tools: tools("[EMAIL_1]"), stop: ["[EMAIL_1]"] })
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

  const annotation = {
    type: "url_citation",
    url_citation: { url: "https://e.example", title: "[EMAIL_1]", content: "[EMAIL_1]" }
  }
  const signed = { reasoning_details: [{ type: "reasoning.text", text: "[EMAIL_1]", signature: "s" }] }

  it("is back wherever a message has it, but not in what is signed", async () => {
    const { key } = await redacting()
    const message = {
      role: "assistant",
      content: null,
      reasoning: "[EMAIL_1]",
      tool_calls: [{ id: "a", type: "custom", custom: { name: "f", input: "to [EMAIL_1]" } }],
      function_call: { name: "f", arguments: '{"to":"[EMAIL_1]"}' },
      audio: { id: "x", data: "", transcript: "[EMAIL_1]" },
      annotations: [annotation]
    }
    upstream.plays("openai", (_, response) =>
      response.end(
        JSON.stringify({ choices: [{ index: 0, message: { ...message, ...signed }, finish_reason: "stop" }], usage })
      )
    )
    const { choices } = (await (await ask(key, { messages })).json()) as { readonly choices: readonly [object] }
    const restored = JSON.parse(JSON.stringify(message).replaceAll("[EMAIL_1]", secret)) as object
    assert.deepInclude(choices[0], { message: { ...restored, ...signed } })
  })

  for (const size of [1, 3, 99])
    it(`is back in each text of a stream that is cut after ${size}, and no text continues another`, async () => {
      const { key } = await redacting()
      const cut = (whole: string) => whole.match(new RegExp(`.{1,${size}}`, "g")) ?? []
      const args = cut('{"to":"[ACCOUNT_1]"}')
      const texts = cut("to [EMAIL_1] and [")
      const deltas = Array.from({ length: Math.max(args.length, texts.length) }, (_, at) => ({
        reasoning: texts[at] ?? "",
        tool_calls: [
          { index: 0, type: "custom", custom: { input: texts[at] ?? "" } },
          { index: 1, type: "custom", custom: { input: texts[at] ?? "" } }
        ],
        function_call: { arguments: args[at] ?? "" },
        audio: { transcript: texts[at] ?? "" },
        annotations: [annotation]
      }))
      const finish = { index: 0, finish_reason: "stop", delta: {} }
      for (const end of [[{ choices: [finish] }], []]) {
        upstream.plays("openai", (_, response) => {
          startStream(response)
          for (const delta of deltas) sendEvent(response, { choices: [{ index: 0, finish_reason: null, delta }] })
          for (const event of [...end, "[DONE]"]) sendEvent(response, event)
          response.end()
        })
        const events = eventsOf(await (await ask(key, { messages, stream: true })).text())
        const joined = { reasoning: "", first: "", second: "", arguments: "", transcript: "", title: "" }
        for (const event of events.filter((each) => each !== "[DONE]")) {
          const { choices } = JSON.parse(event) as { readonly choices: readonly [{ readonly delta: Delta }?] }
          const { reasoning, tool_calls, function_call, audio, annotations } = choices[0]?.delta ?? {}
          joined.reasoning += reasoning ?? ""
          for (const { index, custom } of tool_calls ?? []) joined[index === 0 ? "first" : "second"] += custom.input
          joined.arguments += function_call?.arguments ?? ""
          joined.transcript += audio?.transcript ?? ""
          joined.title = annotations?.[0]?.url_citation.title ?? joined.title
        }
        const text = `to ${secret} and [`
        const { arguments: written, ...others } = joined
        assert.deepEqual(others, { reasoning: text, first: text, second: text, transcript: text, title: secret })
        assert.deepEqual(JSON.parse(written), { to: quoted })
      }
    })

  it("is back in an answer of several parts", async () => {
    const { key } = await redacting()
    const message = { role: "assistant", content: [{ type: "text", text: "to [EMAIL_1]" }] }
    upstream.plays("openai", (_, response) =>
      response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }], usage }))
    )
    assert.include(await (await ask(key, { messages })).text(), `"text":"to ${secret}"`)
  })

  it("is found in what is recorded and delivered of a request, too", async () => {
    const { key } = await redacting()
    const { data } = await manage("GET", "/workspaces/default")
    const { default_guardrail_id } = data as unknown as { readonly default_guardrail_id: string }
    await manage("PATCH", `/guardrails/${default_guardrail_id}`, {
      content_filter_builtins: [{ slug: "email", action: "block" }]
    })
    for (const fields of [{ trace: { trace_name: secret } }, { logit_bias: { [secret]: 1 } }])
      assert.strictEqual((await ask(key, fields)).status, 403, JSON.stringify(fields))
    assert.deepEqual(upstream.calls(), [])
  })

  it("is recorded without it", async () => {
    const { key } = await redacting()
    upstream.plays("openai", completes("hi", usage))
    const answer = await ask(key, { session_id: `of ${secret}`, user: secret, trace: { trace_name: secret } })
    const { data } = await manage("GET", `/generation?id=${answer.headers.get("x-generation-id")}`)
    assert.deepInclude(data as object, { session_id: "of [EMAIL_1]", external_user: "[EMAIL_1]" })
    assert.notInclude(JSON.stringify(data), secret)
  })

  it("keeps nothing back of a stream that is whole, whatever ends it", async () => {
    const { key } = await redacting()
    const finish = { choices: [{ index: 0, finish_reason: "stop" }] }
    for (const [isWhole, end] of [
      [true, [finish, "[DONE]"]],
      [true, [finish]],
      [true, ["[DONE]"]],
      // Of one that broke off, what may begin a placeholder is left out.
      [false, []]
    ] as const) {
      upstream.plays("openai", (_, response) => {
        startStream(response)
        for (const event of [delta("array["), ...end]) sendEvent(response, event)
        response.end()
      })
      const events = eventsOf(await (await ask(key, { messages, stream: true })).text())
      assert.strictEqual(contentOf(events), isWhole ? "array[" : "array")
      if (isWhole) assert.strictEqual(events.at(-1), "[DONE]")
      else assert.match(events.at(-1) ?? "", /"finish_reason":"error"/)
    }
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
    assert.match(
      (await refused(await ask(poor.key), 402)).message,
      /^Key limit of \$0\.01 exceeded\. This request reserves \$\d.*\$0\.\d+ of the limit is left.*raise the limit\.$/
    )
    const { key } = await newKey()
    const unknown = await ask(key, { model: "acme/nothing" })
    const { availability, metadata } = await refused(unknown, 404)
    assert.deepEqual(availability, {
      code: "model_not_found",
      retryable: false,
      requested_models: ["acme/nothing"],
      docs_url: "../errors/unknown_model"
    })
    assert.deepInclude(metadata, { reason: "unknown_model", availability })
    assert.strictEqual((await fetch(new URL(String(metadata?.["doc_url"]), unknown.url))).status, 200)
    const narrow = await refused(await ask(key, { provider: { only: ["nobody"] } }), 404)
    assert.deepInclude(narrow.availability, { code: "constraint_filtered", excluded_by: ["allowed_providers"] })
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

  it("says when a key that asks too often may ask again", async () => {
    const { key, hash } = await newKey()
    await manage("PUT", `/gateway/keys/${hash}/rate-limits`, { requests_per_minute: 1 })
    upstream.plays("openai", completes("hi", usage))
    assert.strictEqual((await ask(key)).status, 200)
    const answer = await ask(key)
    assert.strictEqual(answer.status, 429)
    const { retry_after_seconds } = (await errorOf(answer)).metadata ?? {}
    assert.isAbove(Number(retry_after_seconds), 1)
    assert.strictEqual(answer.headers.get("retry-after"), String(retry_after_seconds))
  })

  it("is what nobody may ask", async () => {
    await refused(await post("/chat/completions", { body: "{}" }), 401)
    const { metadata } = await refused(await ask("gw-v1-nobody"), 401)
    assert.include(JSON.stringify(metadata?.["issues"]), "never made here")
    await refused(await ask(managementKey), 403)
  })

  it("leads to a page on the reason", async () => {
    const long = JSON.stringify({ messages: [{ role: "user", content: "x".repeat(70_000) }] })
    for (const [headers, reason] of [
      [{}, "missing_authentication"],
      [{ authorization: "Bearer gw-v1-nobody" }, "malformed_api_key"]
    ] as const) {
      const answer = await post("/chat/completions", { headers, body: long })
      const { metadata } = await refused(answer, 401)
      assert.strictEqual(metadata?.["reason"], reason)
      const page = await fetch(new URL(String(metadata?.["doc_url"]), answer.url))
      assert.strictEqual(page.status, 200)
      assert.include(await page.text(), `<h1><code>${reason}</code></h1>`)
    }
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
    await refused(await post("/chat/completions", { headers, body: "{" }), 400)
    const body = `"${" ".repeat(33_554_432)}"`
    await refused(await post("/chat/completions", { headers, body }), 413)
  })
})
