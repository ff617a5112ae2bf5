/** What a budget holds: an upper bound of everything that a request can make an upstream charge. Rule: money#upper-bound. */
import { assert } from "@effect/vitest"
import type { Answer, World } from "../World.ts"
import { ask, explained, limitedKey, limitRates } from "./admissionWorld.ts"
import type { Case } from "../http/Case.ts"
import { refused } from "../http/Case.ts"
import { endpoint, list, model, newAuthor } from "../model/catalog.ts"

type Fields = Readonly<Record<string, unknown>>

/** As a large model is priced. */
const dear = { prompt: "0.000003", completion: "0.000015" }

/** The id of a model of its own at one endpoint. */
export const pricedModel = async (world: World, pricing: Fields = dear, fields: Fields = {}): Promise<string> => {
  const id = `${newAuthor()}/priced`
  await list(world, model(id, { endpoints: [endpoint({ pricing, context_length: 200_000, tag: "acme", ...fields })] }))
  return id
}

const text = "x".repeat(600_000)
const user = (content: unknown) => [{ role: "user", content }]
const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } }
const asked = { messages: user("Hello"), max_completion_tokens: 100 }

const heldOf = ({ json: { data } }: Answer): number => {
  assert.strictEqual(data.decision, "allow", JSON.stringify(data.reasons))
  return Number(data.holds[0].amount_usd)
}

/** What a key with a limit of $100 holds for it. */
const held = async (world: World, request: Fields, pricing?: Fields, endpointFields?: Fields): Promise<number> => {
  const id = await pricedModel(world, pricing, endpointFields)
  return heldOf(await ask(world, { model: id, api_key_hash: await limitedKey(world, 100), ...asked, ...request }))
}

/** Asked of a key with a limit of $1. */
const ofADollar = async (world: World, request: Fields, pricing?: Fields, endpointFields?: Fields) => {
  const id = await pricedModel(world, pricing, endpointFields)
  return ask(world, { model: id, api_key_hash: await limitedKey(world, 1), ...asked, ...request })
}

const deniedFor =
  (...reasons: readonly (readonly [scope: string, field: string, value: unknown])[]) =>
  ({ json: { data } }: Answer): void => {
    assert.strictEqual(data.decision, "deny")
    assert.deepEqual(
      data.reasons.map(({ scope, field, value }: Fields) => [scope, field, value]),
      reasons
    )
  }

const overLimit = deniedFor(["key_limit", "limit", 1])

const large: Readonly<Record<string, Fields>> = {
  messages: { messages: user(text) },
  tools: { tools: [{ type: "function", function: { name: "f", description: text } }] },
  "legacy functions": { functions: [{ name: "f", description: text }] },
  "a response format": { response_format: { type: "json_schema", json_schema: { name: "s", description: text } } },
  "a prediction": { prediction: { type: "content", content: text } },
  "a choice of tool": { tool_choice: { type: "function", function: { name: text } } },
  "a field that nobody knows": { something_new: text },
  "what the data plane adds": { extra_prompt_bytes: 600_000 }
}

const search = { type: "openrouter:web_search", parameters: { max_uses: 3 } }

const allowed = (name: string, run: Case["run"], check: NonNullable<Case["check"]> = () => undefined): Case => ({
  name,
  status: 200,
  run,
  check: async (answer, world) => {
    assert.strictEqual(answer.json.data.decision, "allow", answer.text)
    await check(answer, world)
  }
})

const denied = (name: string, run: Case["run"], check: NonNullable<Case["check"]>): Case => ({
  name,
  status: 200,
  run,
  check
})

export const boundCases: readonly Case[] = [
  ...Object.entries(large).map(([name, request]) =>
    denied(`600 kB of text against a dollar: ${name}`, (world) => ofADollar(world, request), overLimit)
  ),
  denied(
    "600 kB of tools of a preset",
    async (world) => {
      const id = await pricedModel(world)
      await world.call("createPreset", {
        params: { slug: "large" },
        body: { model: id, messages: user("Hello"), ...large["tools"] }
      })
      return ask(world, { preset: "large", api_key_hash: await limitedKey(world, 1), ...asked })
    },
    overLimit
  ),
  denied(
    "a preset's system prompt of 600 kB",
    async (world) => {
      const id = await pricedModel(world)
      await world.call("createPreset", {
        params: { slug: "long" },
        body: { model: id, messages: [{ role: "system", content: text }] }
      })
      return ask(world, { preset: "long", api_key_hash: await limitedKey(world, 1), ...asked })
    },
    overLimit
  ),
  {
    name: "a hundred images without a price: as much as the model takes",
    status: 200,
    run: async (world) => {
      const images = { messages: user(Array.from({ length: 100 }, () => image)) }
      assert.isAtLeast(await held(world, images), 0.6)
      const id = await pricedModel(world)
      const request = { model: id, api_key_hash: await limitedKey(world, 1), ...asked, ...images }
      const answers = await Promise.all(Array.from({ length: 5 }, () => ask(world, request)))
      const admitted = answers.filter(({ json }) => json.data.decision === "allow")
      assert.lengthOf(admitted, 1)
      return answers.find(({ json }) => json.data.decision === "deny") as Answer
    },
    check: overLimit
  },
  allowed("ten images at five cents each", async (world) => {
    const images = { messages: user(Array.from({ length: 10 }, () => image)) }
    const amount = await held(world, images, { ...dear, image: "0.05" })
    assert.isAtLeast(amount, 0.5)
    assert.isBelow(amount, 0.51)
    return ofADollar(world, images, { ...dear, image: "0.05" })
  }),
  ...Object.entries({
    "a PDF by its address": { type: "file", file: { filename: "a.pdf", file_data: "https://example.com/a.pdf" } },
    "a file by its id": { type: "input_file", file_id: "file_1" },
    "a video": { type: "video_url", video_url: { url: "https://example.com/a.mp4" } },
    audio: { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
    "a part of a type that nobody knows": { type: "hologram", id: "h1" }
  }).map(([name, part]) =>
    denied(
      `content that is not in the request is as much as the model takes: ${name}`,
      async (world) => {
        assert.isAtLeast(await held(world, { messages: user([part]) }), 0.6)
        return ofADollar(world, { messages: user([part]) }, dear, { context_length: 400_000 })
      },
      overLimit
    )
  ),
  allowed("an image that the request brings is no text", (world) =>
    ofADollar(
      world,
      { messages: user([{ type: "image_url", image_url: { url: `data:image/png;base64,${text}` } }]) },
      { ...dear, image: "0.001" }
    )
  ),
  allowed("searches at their price and most uses, each of which reads the context again", async (world) => {
    const plain = await held(world, { extra_prompt_bytes: 800_000 })
    const searching = await held(world, { tools: [search] }, { ...dear, web_search: "0.05" })
    assert.isAtLeast(searching, plain + 0.15)
    return ofADollar(world, { tools: [search] }, { ...dear, web_search: "0.05" }, { context_length: 50_000 })
  }),
  denied(
    "searches whose contexts together are above the limit",
    (world) => ofADollar(world, { tools: [search] }, { ...dear, web_search: "0.05" }, { context_length: 100_000 }),
    overLimit
  ),
  denied(
    "as many searches as a number can say, in four answers",
    (world) => {
      const tools = Array(9).fill({ ...search, max_uses: Number.MAX_SAFE_INTEGER })
      return ofADollar(world, { tools, n: 4 }, { ...dear, web_search: "0.05" }, { context_length: 2_000_000 })
    },
    overLimit
  ),
  denied(
    "a search without a price",
    (world) => ofADollar(world, { tools: [search] }),
    deniedFor(["request", "tools.0", "openrouter:web_search"])
  ),
  denied(
    "a search without a maximum",
    (world) => ofADollar(world, { tools: [{ type: "openrouter:web_search" }] }, { ...dear, web_search: "0.01" }),
    deniedFor(["request", "tools.0.max_uses", null])
  ),
  denied(
    "a plugin without a price",
    (world) => ofADollar(world, { plugins: [{ id: "fusion" }] }),
    deniedFor(["request", "plugins.0", "fusion"])
  ),
  allowed("a server tool without a price, where no budget applies", async (world) =>
    ask(world, { model: await pricedModel(world), tools: [search], plugins: [{ id: "fusion" }] })
  ),
  allowed("a server tool without a price, under a ceiling of the data plane's", (world) =>
    ofADollar(world, { tools: [search], max_cost_usd: "0.5" })
  ),
  allowed("every answer of several", async (world) => {
    const [one, three] = [
      await held(world, { max_completion_tokens: 10_000 }),
      await held(world, { max_completion_tokens: 10_000, n: 3 })
    ]
    assert.closeTo(three - one, 0.3, 1e-6)
    return ofADollar(world, { n: 2 })
  }),
  ...[
    { best_of: 3 },
    { n: 2, num_return_sequences: 3 },
    { n: 3, best_of: 1 },
    { best_of: "3" },
    { N: 3 },
    { num_images: 3 },
    { extra_body: { n: 3 } },
    { generationConfig: { candidateCount: 3 } },
    { input: { num_outputs: 3 } }
  ].map((answers) =>
    allowed(`as many answers as the provider may write: ${JSON.stringify(answers)}`, async (world) => {
      const tokens = { max_completion_tokens: 10_000 }
      const most = await held(world, { ...tokens, ...answers })
      assert.closeTo(most - (await held(world, tokens)), 0.3, 1e-3)
      return ofADollar(world, answers)
    })
  ),
  denied(
    "more answers than can be counted",
    async (world) => {
      await limitRates(world, { tokens_per_minute: 1000 })
      assert.strictEqual(
        (await ask(world, { model: await pricedModel(world), ...asked, best_of: 1e300 })).json.data.status,
        429
      )
      return ofADollar(world, { best_of: 1e300 })
    },
    overLimit
  ),
  denied(
    "a tier whose price is not listed",
    (world) => ofADollar(world, { service_tier: "priority" }),
    deniedFor(["request", "service_tier", "priority"])
  ),
  denied(
    "the request's own model, where a provider would read it instead of the fallback that a guardrail leaves",
    async (world) => {
      const [model, fallback] = [await pricedModel(world), await pricedModel(world)]
      return ask(world, { ...asked, model, models: [fallback], extra_body: { model } })
    },
    ({ json: { data }, text: sent }) => assert.strictEqual(data.status, 400, sent)
  ),
  denied(
    "a tier whose price is not listed, where some providers look for it",
    (world) => ofADollar(world, { extra_body: { serviceTier: "priority" } }),
    deniedFor(["request", "extra_body.serviceTier", "priority"])
  ),
  ...[
    { max_output_tokens: 20_000 },
    { MaxTokens: "20000" },
    { extra_body: { max_tokens: 20_000 } },
    { generationConfig: { maxOutputTokens: 20_000 } },
    { input: { max_new_tokens: 20_000 } },
    { options: { num_predict: 20_000 } }
  ].map((limit) =>
    allowed(`the most that a provider may write: ${JSON.stringify(limit)}`, async (world) => {
      const own = { max_completion_tokens: 10_000 }
      assert.closeTo((await held(world, { ...own, ...limit })) - (await held(world, own)), 0.15, 1e-3)
      const { data } = (await ofADollar(world, { ...own, ...limit })).json
      assert.strictEqual(data.grant.max_completion_tokens, 10_000)
      return ofADollar(world, limit)
    })
  ),
  allowed("a prediction wherever it is, as completion", async (world) => {
    const predicted = { prediction: { type: "content", content: "a".repeat(10_000) } }
    const [within, plain] = [await held(world, { extra_body: predicted }), await held(world, predicted)]
    assert.closeTo(within, plain, 1e-3)
    return ofADollar(world, { extra_body: predicted })
  }),
  ...[
    { extra_body: { model: "openai/gpt-5-pro" } },
    { Model: "openai/gpt-5-pro" },
    { google: { models: ["a"] } },
    { input: { model: "a/b" } }
  ].map((hidden) =>
    denied(
      `a model that policies do not look at: ${JSON.stringify(hidden)}`,
      (world) => ofADollar(world, hidden),
      ({ json: { data }, text: sent }) => assert.strictEqual(data.status, 400, sent)
    )
  ),
  ...[{}, { prompt: null, completion: null }, { prompt: "-1", completion: "-1" }].map((pricing) =>
    denied(
      `a price that nobody knows: ${JSON.stringify(pricing)}`,
      (world) => ofADollar(world, {}, pricing),
      (answer) => {
        deniedFor(["catalog", "pricing.prompt", "-1"], ["catalog", "pricing.completion", "-1"])(answer)
        assert.strictEqual(answer.json.data.status, 404)
        assert.include(answer.json.data.error.message, "known price")
      }
    )
  ),
  allowed("a price that nobody knows, where no budget applies", async (world) =>
    ask(world, { model: await pricedModel(world, { prompt: "-1", completion: "-1" }), ...asked })
  ),
  allowed(
    "a price that nobody knows, under a ceiling of the data plane's",
    (world) => ofADollar(world, { max_cost_usd: "0.5" }, { prompt: "-1", completion: "-1" }),
    (answer) => assert.strictEqual(heldOf(answer), 0.5)
  ),
  allowed(
    "a price that nobody knows, with a credential of the workspace's that no budget pays for",
    async (world) => {
      await world.call("createByokCredential", { body: { provider: "openai", key: "sk-own-000000000000" } })
      return ofADollar(world, {}, { prompt: "-1", completion: "-1" }, { provider_slug: "openai" })
    },
    ({ json: { data } }) =>
      assert.deepEqual(
        data.candidates.map(({ source }: Fields) => source),
        ["byok"]
      )
  ),
  allowed(
    "the endpoint of two whose price is known",
    async (world) => {
      const id = `${newAuthor()}/two`
      const endpoints = [
        endpoint({ tag: "unknown", pricing: { prompt: "-1", completion: "-1" } }),
        endpoint({ tag: "known" })
      ]
      await list(world, model(id, { endpoints }))
      const request = { model: id, api_key_hash: await limitedKey(world, 1), ...asked }
      const explanation = (await explained(world, request)).json.data
      assert.deepEqual(
        explanation.candidates.map(
          ({ allowed: isAllowed, reasons }: { allowed: boolean; reasons: readonly Fields[] }) => [
            isAllowed,
            reasons.map(({ field }) => field)
          ]
        ),
        [
          [false, ["pricing.prompt", "pricing.completion"]],
          [true, []]
        ]
      )
      return ask(world, request)
    },
    ({ json: { data } }) =>
      assert.deepEqual(
        data.candidates.map(({ endpoint_tag }: Fields) => endpoint_tag),
        ["known"]
      )
  ),
  allowed(
    "no more tokens of each candidate than were held for it",
    async (world) => {
      const id = `${newAuthor()}/capped`
      const endpoints = [
        endpoint({ tag: "few", pricing: dear, max_completion_tokens: 100 }),
        endpoint({ tag: "many", pricing: dear, max_completion_tokens: 1_000 })
      ]
      await list(world, model(id, { endpoints }))
      const api_key_hash = await limitedKey(world, 100)
      return ask(world, { model: id, api_key_hash, ...asked, max_completion_tokens: 1_000_000 })
    },
    ({ json: { data } }) => {
      assert.deepEqual(data.grant, { max_completion_tokens: 1_000 })
      const mostOf = ({ endpoint_tag, max_completion_tokens }: Fields) => [endpoint_tag, max_completion_tokens]
      assert.sameDeepMembers(data.candidates.map(mostOf), [
        ["few", 100],
        ["many", undefined]
      ])
    }
  ),
  allowed("optional fields that are null", async (world) => {
    const fields = [
      "ingress_region",
      "models",
      "preset",
      "provider",
      "max_completion_tokens",
      "max_tokens",
      "n",
      "tools",
      "functions",
      "tool_choice",
      "response_format",
      "prediction",
      "plugins",
      "stop",
      "modalities",
      "service_tier",
      "extra_prompt_bytes",
      "stream",
      "user",
      "session_id",
      "max_cost_usd",
      "hold_seconds",
      "on_expiry",
      "reversible_redaction"
    ]
    const nulls = Object.fromEntries(fields.map((field) => [field, null]))
    const request = { ...nulls, model: await pricedModel(world), messages: [{ ...user("Hello")[0], name: null }] }
    const explanation = await explained(world, { ...request, guardrail: null, replay: null })
    assert.strictEqual(explanation.json.data.decision, "allow")
    return ask(world, request)
  }),
  ...[0, 129, 1.5, "2"].map((n) =>
    refused(
      "createAdmission",
      `${JSON.stringify(n)} answers`,
      { body: { api_key_hash: "0".repeat(64), model: "acme/sonnet", n } },
      { path: "n", reason: "invalid_request" }
    )
  ),
  refused(
    "createAdmission",
    "another end of a hold",
    { body: { api_key_hash: "0".repeat(64), model: "acme/sonnet", on_expiry: "keep" } },
    { path: "on_expiry", reason: "invalid_request" }
  ),
  refused(
    "createAdmission",
    "tools that are no list",
    { body: { api_key_hash: "0".repeat(64), model: "acme/sonnet", tools: "all" } },
    { path: "tools", reason: "invalid_request" }
  )
]
