/** The reference gateway before private endpoints: deployments of an account, at an address of its choice. */
import { createPrivateProvider } from "@gatewarden/contract/internal"
import { assert, describe, it } from "@effect/vitest"
import { answers, streamsAs, text } from "@gatewarden/testkit/upstream/ApiForm"
import { chatForm } from "@gatewarden/testkit/upstream/chatForm"
import {
  type ChatScript,
  completes,
  fails,
  hangsUp,
  startStream,
  streams
} from "@gatewarden/testkit/upstream/chatUpstream"
import { embeds } from "@gatewarden/testkit/upstream/embeddingsForm"
import { messagesForm } from "@gatewarden/testkit/upstream/messagesForm"
import { responsesForm } from "@gatewarden/testkit/upstream/responsesForm"
import { deferred } from "./deferred.ts"
import { at, bodyOf, dialectsUnderTest, errorOf, messages, responses } from "./dialects/dialectsUnderTest.ts"
import { broughtKey, deploymentUrl, managementKey, sharedKeys, usage } from "./gatewayUnderTest.ts"

const under = dialectsUnderTest()
const {
  address,
  ask: askAs,
  budgetOf,
  embed,
  isolate,
  manage,
  newKey,
  patchGuardrail,
  recorded,
  send,
  settledOf,
  upstream
} = under

const ask = (key: string, fields: object = {}) =>
  send("/chat/completions", key, {
    model: "acme/sonnet",
    messages: [{ role: "user", content: "hello" }],
    max_tokens: 100,
    ...fields
  })

/** The calls of providers since the endpoint was validated. */
const calls = () => upstream.calls().slice(1)
const called = () => calls().map(({ provider }) => provider)

/** An active endpoint of `acme/sonnet`, at a dime a thousand tokens; the upstream `deployment` plays it. */
const activate = async (fields: object = {}) => {
  const { provider_slug = "groq" } = fields as { readonly provider_slug?: string }
  await manage("POST", "/byok", { provider: provider_slug, key: broughtKey })
  upstream.plays("deployment", completes("OK", usage))
  const { data: workspace } = await manage("GET", "/workspaces/default")
  const { data } = await manage("POST", "/private-endpoints", {
    model_permaslug: "acme/sonnet",
    provider_slug,
    upstream_model_id: "sonnet-prod",
    base_url: deploymentUrl,
    pricing: { prompt: "0.0001", completion: "0.0001" },
    activate: { workspace_id: workspace.id },
    ...fields
  })
  assert.deepEqual(
    upstream.calls().map(({ provider, path }) => [provider, path]),
    [["deployment", "/chat/completions"]]
  )
  return data.id
}

const newProvider = async () => {
  const { data } = await manage("POST", "/private-providers", {
    ...createPrivateProvider.example.body,
    base_url: deploymentUrl
  })
  return (data as unknown as { readonly slug: string }).slug
}

/** An endpoint of a provider that the account alone has. */
const activateOwn = async () => {
  const provider_slug = await newProvider()
  const id = await activate({ provider_slug, base_url: undefined })
  return { id, provider_slug }
}

describe("a private endpoint", () => {
  for (const stream of [false, true])
    it(`answers first, with the account's credential and at its own price${stream ? ", in a stream" : ""}`, async () => {
      const { id, provider_slug } = await activateOwn()
      upstream.plays("deployment", stream ? streamsAs(chatForm, [text("h", "i")], usage) : completes("hi", usage))
      const key = await newKey()
      const answer = await ask(key.key, { stream })
      const written = await answer.text()
      assert.strictEqual(answer.status, 200, written)
      assert.include(written, `"provider":"${provider_slug}"`)
      assert.include(written, '"is_byok":true')
      assert.include(written, '"upstream_inference_cost":0.001')
      const [sent, ...more] = calls()
      assert.lengthOf(more, 0)
      assert.deepInclude(sent, {
        provider: "deployment",
        path: "/chat/completions",
        authorization: `Bearer ${broughtKey}`
      })
      assert.deepInclude(sent?.body, { model: "sonnet-prod", max_tokens: 100 })
      assert.notProperty(sent?.body, "max_completion_tokens")
      await settledOf(key)
      assert.deepEqual(await budgetOf(key), { spent: "0", held: "0" })
      const generation = await manage("GET", `/generation?id=${answer.headers.get("x-generation-id")}`)
      assert.deepInclude(generation.data as object, { upstream_inference_cost: 0.001, is_byok: true })
      const events = await fetch(`${address()}/gateway/usage-events`, {
        headers: { authorization: `Bearer ${managementKey}` }
      })
      assert.include(await events.text(), `"endpoint_tag":"private/${id}"`)
      assert.deepEqual(await recorded("provider"), [[provider_slug, 1, 10]])
    })

  it("gets what filters left, and its answer is restored", async () => {
    await activate()
    await patchGuardrail({ content_filter_builtins: [{ slug: "email", action: "redact" }] })
    upstream.plays("deployment", streamsAs(chatForm, [text("to [EM", "AIL_1]")], usage))
    const messages = [{ role: "user", content: "mail ada@example.com" }]
    const written = await (await ask((await newKey()).key, { stream: true, messages })).text()
    assert.deepEqual(calls()[0]?.body["messages"], [{ role: "user", content: "mail [EMAIL_1]" }])
    assert.include(written, "ada@example.com")
  })

  it("is not asked where a filter refuses the request", async () => {
    await activate()
    await patchGuardrail({ content_filter_builtins: [{ slug: "email", action: "block" }] })
    const messages = [{ role: "user", content: "mail ada@example.com" }]
    assert.strictEqual((await ask((await newKey()).key, { messages })).status, 403)
    assert.deepEqual(called(), [])
  })

  it("passes on what it says of the request", async () => {
    await activate()
    upstream.plays("deployment", fails(400, "too many tools"))
    const key = await newKey()
    const answer = await ask(key.key)
    assert.strictEqual(answer.status, 400)
    assert.strictEqual((await errorOf(answer)).message, "too many tools")
    assert.deepEqual(await budgetOf(key), { spent: "0", held: "0" })
  })
})

describe("the next candidate answers", () => {
  const answersNext = async (fields: object = {}) => {
    upstream.plays("openai", completes("hi", usage))
    const key = await newKey(fields)
    const answer = await ask(key.key)
    const written = await answer.text()
    assert.strictEqual(answer.status, 200, written)
    assert.include(written, '"provider":"openai"')
    return key
  }
  const says: ChatScript = (_, response) => void startStream(response)

  for (const [how, script] of [
    ["fails", fails(500)],
    ["rejects the credential", fails(401)],
    ["hangs up", hangsUp]
  ] as const)
    it(`after one that ${how}`, async () => {
      await activate()
      upstream.plays("deployment", script)
      assert.deepEqual(await budgetOf(await answersNext()), { spent: "0.01", held: "0" })
      assert.deepEqual(called(), ["deployment", "openai"])
    })

  it("after one that is silent, whose owner may have to pay for it", async () => {
    for (const script of [() => {}, says] satisfies readonly ChatScript[]) {
      const before = upstream.calls().length
      if (before === 0) await activate()
      upstream.plays("deployment", script)
      // A budget would pay for no other.
      await answersNext({ limit: null })
    }
    assert.deepEqual(called(), ["deployment", "openai", "deployment", "openai"])
  })

  for (const stream of [false, true])
    it(`after two whose costs together cannot be recorded, and is charged${stream ? ", with a stream" : ""}`, async () => {
      const dear = { pricing: { prompt: "999999999999999", completion: "999999999999999" } }
      await activate(dear)
      await manage("POST", "/byok", { provider: "groq", key: `${broughtKey}2` })
      upstream.plays("deployment", (_, response) => {
        startStream(response)
        response.write(": at work\n\n", () => response.destroy())
      })
      upstream.plays("openai", stream ? streams(["hi"], usage) : completes("hi", usage))
      // A budget would pay for no other.
      const key = await newKey({ limit: null })
      const answer = await ask(key.key, { stream })
      assert.include(await answer.text(), '"provider":"openai"')
      assert.deepEqual(called(), ["deployment", "deployment", "openai"])
      const { data } = await manage("GET", `/keys/${key.hash}`)
      assert.propertyVal(data, "usage", 0.01)
      assert.propertyVal(data, "byok_usage", 1_000_000_000)
    })

  it("after one that redirects: nobody follows", async () => {
    await activate()
    upstream.plays("mistral", completes("stolen", usage))
    upstream.plays("deployment", (_, response) => {
      response.writeHead(307, { location: `http://${response.req.headers.host}/mistral/chat/completions` }).end()
    })
    await answersNext()
    assert.deepEqual(called(), ["deployment", "openai"])
  })

  it("where the name does not lead to a public address any more", async () => {
    await activate()
    isolate()
    await answersNext()
    assert.deepEqual(called(), ["openai"])
    const answer = await ask((await newKey()).key, { provider: { only: ["groq"] } })
    const { metadata } = await errorOf(answer)
    assert.deepEqual(metadata["attempts"], [
      { provider: "groq", status: null, message: "No answer (ERR_ADDRESS_REFUSED)" }
    ])
    assert.deepEqual(called(), ["openai"])
  })

  it("while the endpoint is disabled, or its provider moved", async () => {
    const { id, provider_slug } = await activateOwn()
    await manage("POST", `/private-endpoints/${id}/disable`)
    await answersNext()
    await manage("POST", `/private-endpoints/${id}/enable`)
    await manage("PATCH", `/private-providers/${provider_slug}`, { base_url: `${deploymentUrl}/2` })
    await answersNext()
    assert.deepEqual(called(), ["openai", "openai"])
  })

  it("without a credential", async () => {
    const { provider_slug } = await activateOwn()
    const { data } = (await manage("GET", "/byok")) as unknown as { readonly data: readonly { readonly id: string }[] }
    for (const { id } of data) await manage("DELETE", `/byok/${id}`)
    await answersNext()
    assert.deepEqual(called(), ["openai"])
    const answer = await ask((await newKey()).key, { provider: { only: [provider_slug] } })
    assert.strictEqual(answer.status, 404)
    const { metadata } = await errorOf(answer)
    assert.deepInclude(at(metadata, "availability"), { excluded_by: ["allowed_providers", "byok"] })
    assert.include(String(at(metadata, "issues", 0, "message")), `no credential of "${provider_slug}"`)
  })
})

describe("the APIs of a private endpoint", () => {
  it("of a provider that the gateway does not know: chat completions alone", async () => {
    const { provider_slug } = await activateOwn()
    upstream.plays("openai", answers(responsesForm, [text("hi")], usage))
    const key = await newKey()
    await bodyOf(await askAs(responses, key))
    assert.deepEqual(called(), ["openai"])
    const answer = await askAs(responses, key, { provider: { only: [provider_slug] } })
    assert.strictEqual(answer.status, 404)
    const { metadata } = await errorOf(answer)
    assert.deepInclude(metadata, { reason: "api_not_spoken", paths: ["/chat/completions"] })
    assert.deepEqual(called(), ["openai"])
    assert.strictEqual((await budgetOf(key)).held, "0")
  })

  for (const [spoken, provider_slug, form] of [
    [responses, "openai", responsesForm],
    [messages, "anthropic", messagesForm]
  ] as const)
    it(`of ${provider_slug}: ${form.path}, whole and streamed`, async () => {
      await activate({ provider_slug })
      const key = await newKey()
      upstream.plays("deployment", answers(form, [text("hi")], usage))
      const { usage: told } = await bodyOf(await askAs(spoken, key))
      assert.deepInclude(told, { cost: 0, is_byok: true })
      assert.strictEqual(at(told, "cost_details", "upstream_inference_cost"), 0.001)
      upstream.plays("deployment", streamsAs(form, [text("h", "i")], usage))
      assert.include(await (await askAs(spoken, key, { stream: true })).text(), "hi".slice(1))
      assert.deepEqual(called(), ["deployment", "deployment"])
      for (const sent of calls()) {
        assert.strictEqual(sent.path, form.path)
        assert.deepInclude(sent.body, { model: "sonnet-prod", [spoken.limit]: 100 })
        assert.include([sent.authorization, sent.headers["x-api-key"]], sent.authorization ?? broughtKey)
        assert.notInclude(JSON.stringify(sent.headers), sharedKeys[provider_slug])
      }
    })

  it("of openai: embeddings", async () => {
    await activate({ provider_slug: "openai" })
    upstream.plays("deployment", embeds(7))
    const { usage: told } = await bodyOf(await embed(await newKey()))
    assert.deepInclude(told, { cost: 0, is_byok: true })
    assert.deepEqual(
      calls().map(({ provider, path, body }) => [provider, path, body["model"]]),
      [["deployment", "/embeddings", "sonnet-prod"]]
    )
  })

  it("of openai: embeddings of any length, which pass through", async () => {
    await activate({ provider_slug: "openai" })
    const embedding = Array.from({ length: 20_000 }, (_, index) => Math.sin(index))
    const data = [{ object: "embedding", index: 0, embedding }]
    upstream.plays("deployment", (_, response) =>
      response.end(JSON.stringify({ object: "list", data, usage: { prompt_tokens: 7, total_tokens: 7 } }))
    )
    const body = await bodyOf(await embed(await newKey()))
    assert.deepEqual(body["data"], data)
    assert.deepInclude(body["usage"], { cost: 0, is_byok: true })
  })

  it("hangs up on an answer that cannot be read, before another is asked", async () => {
    await activate({ provider_slug: "openai" })
    const closed = deferred()
    upstream.plays("deployment", (_, response) => {
      response.on("close", closed.resolve)
      response.writeHead(200, { "content-type": "application/json" })
      response.write(`{"x":"${"x".repeat(1_100_000)}"`)
    })
    upstream.plays("openai", embeds(7))
    const { provider } = await bodyOf(await embed(await newKey({ limit: null })))
    assert.strictEqual(provider, "openai")
    await closed.promise
    assert.deepEqual(called(), ["deployment", "openai"])
  })
})
