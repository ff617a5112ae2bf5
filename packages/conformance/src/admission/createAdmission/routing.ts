/** Which endpoints a request may go to, and in which order, by its own preferences and its workspace's defaults. */
import { assert } from "@effect/vitest"
import type { Answer, World } from "../../World.ts"
import { ask, explained, providersOf, restrict } from "../admissionWorld.ts"
import { type Case, refused } from "../../http/Case.ts"
import { denies } from "./scene.ts"
import { endpoint, list, model, newAuthor, record } from "../../model/catalog.ts"
import { nowIn } from "../../key/keyStates.ts"

interface Scene {
  readonly world: World
  /** Three endpoints: at openai (dear, slow), anthropic (cheap, fast) and xai (in between, not measured): each order is another than the catalog's. */
  readonly one: string
  /** A free variant of it at xai. */
  readonly free: string
}

const at = (provider: string, name: string, prompt: string, fields: object = {}) =>
  endpoint({
    provider_slug: provider,
    provider_name: name,
    tag: `${provider}/fp8`,
    pricing: { prompt, completion: prompt },
    ...fields
  })

const manyAt = (count: number) =>
  Array.from({ length: count }, (_, index) => at("openai", "OpenAI", "0", { tag: `openai/${index}` }))

const openScene = async (world: World): Promise<Scene> => {
  const one = `${newAuthor()}/one`
  await list(
    world,
    model(one, {
      endpoints: [
        at("openai", "OpenAI", "0.000003", { supported_parameters: ["temperature", "tools"] }),
        at("anthropic", "Anthropic", "0.000001", { supported_parameters: ["temperature"] }),
        at("xai", "xAI", "0.000002", { supported_parameters: ["tools"] })
      ]
    }),
    model(`${one}:free`, { endpoints: [at("xai", "xAI", "0")] })
  )
  const spoken = (endpoint_tag: string, latency_ms: number, generation_ms: number) => ({
    created_at: nowIn(world),
    model: one,
    provider: endpoint_tag.split("/")[0],
    endpoint_tag,
    completion_tokens: 100,
    latency_ms,
    generation_ms
  })
  await record(world, spoken("openai/fp8", 2_000, 10_000), spoken("anthropic/fp8", 100, 1_000))
  return { world, one, free: `${one}:free` }
}

const routes = (
  name: string,
  request: (scene: Scene) => object | Promise<object>,
  providers: readonly string[],
  prepare: (scene: Scene) => Promise<unknown> = () => Promise.resolve()
): Case => ({
  name,
  status: 200,
  run: async (world) => {
    const scene = await openScene(world)
    await prepare(scene)
    return ask(world, { model: scene.one, ...(await request(scene)) })
  },
  check: (answer) => {
    assert.strictEqual(answer.json.data.decision, "allow", answer.text)
    assert.deepEqual(providersOf(answer), providers)
  }
})

/** The hash of a key of a workspace that has these defaults. */
const keyWithDefaults = async (world: World, defaults: object): Promise<string> => {
  const made = await world.call("createWorkspace", {
    body: { name: "defaults", slug: `defaults-${crypto.randomUUID()}`, ...defaults }
  })
  const key = await world.call("createKey", { body: { name: "one", workspace_id: made.json.data.id } })
  return key.json.data.hash
}

const reasonsOf = ({ json }: Answer): readonly { readonly field: string; readonly value: unknown }[] =>
  json.data.reasons.map(({ field, value }: { field: string; value: unknown }) => ({ field, value }))

const bad = (name: string, provider: object, path: string): Case =>
  refused(
    "createAdmission",
    name,
    { body: { api_key_hash: "0".repeat(64), model: "acme/sonnet", provider } },
    { path: `provider.${path}`, reason: "invalid_request" }
  )

export const routing: readonly Case[] = [
  {
    name: "models of as many endpoints as are judged at once, and of more",
    status: 200,
    run: async (world) => {
      const author = newAuthor()
      const served = (name: string, count: number) => model(`${author}/${name}`, { endpoints: manyAt(count) })
      await list(world, served("a", 500), served("b", 500), served("c", 1))
      const names = ["a", "b", "c"].map((name) => `${author}/${name}`)
      const most = await ask(world, { models: names.slice(0, 2) })
      assert.lengthOf(most.json.data.candidates, 1_000)
      return ask(world, { models: names })
    },
    check: denies(400, [{ scope: "request", guardrail_id: null, field: "models", value: 3 }])
  },
  {
    name: "as many candidates with credentials as are judged at once, and more",
    status: 200,
    run: async (world) => {
      const one = `${newAuthor()}/one`
      await list(world, model(one, { endpoints: manyAt(400) }))
      const bring = async (index: number) => {
        const body = { provider: "openai", key: `sk-0123456789-${index}` }
        const made = await world.call("createByokCredential", { body })
        assert.strictEqual(made.status, 200, made.text)
      }
      for (let index = 0; index < 4; index++) await bring(index)
      const most = await ask(world, { model: one })
      assert.lengthOf(most.json.data.candidates, 2_000)
      await bring(4)
      return ask(world, { model: one })
    },
    check: denies(400, [{ scope: "request", guardrail_id: null, field: "models", value: 1 }])
  },
  {
    name: "a preset whose preferences cannot be read, or that names too many models",
    status: 200,
    run: async (world) => {
      const { one } = await openScene(world)
      const said = { messages: [{ role: "user", content: "Hello" }] }
      const many = Array.from({ length: 1_001 }, (_, index) => `p${index}`)
      for (const [slug, config, reason] of [
        ["ignore", { provider: { ignore: many } }, { field: "provider.ignore", value: many }],
        ["zdr", { provider: { sort: "price", zdr: "yes" } }, { field: "provider.zdr", value: "yes" }],
        ["models", { models: many.slice(0, 100) }, { field: "models", value: 101 }]
      ] as const) {
        const made = await world.call("createPreset", { params: { slug }, body: { ...said, model: one, ...config } })
        assert.strictEqual(made.status, 200, made.text)
        denies(400, [{ scope: "request", guardrail_id: null, ...reason }])(await ask(world, { preset: slug }), world)
      }
      await world.call("createPreset", {
        params: { slug: "most" },
        body: { ...said, model: one, models: many.slice(0, 99) }
      })
      return ask(world, { preset: "most", provider: { zdr: null } })
    },
    check: ({ json }) => assert.strictEqual(json.data.decision, "allow")
  },
  {
    name: "an explanation tells reasons against the whole request with each candidate, or with one if there are very many",
    status: 200,
    run: async (world) => {
      const author = newAuthor()
      const served = (name: string, count: number) => model(`${author}/${name}`, { endpoints: manyAt(count) })
      await list(world, served("few", 100), served("many", 101))
      const content_filters = Array.from({ length: 100 }, (_, index) => ({
        pattern: `secret${"x".repeat(index)}`,
        action: "block",
        label: ""
      }))
      await restrict(world, { content_filters })
      const messages = [{ role: "user", content: `secret${"x".repeat(100)}` }]
      const reasonsWith = async (name: string) => {
        const told = await explained(world, { model: `${author}/${name}`, messages })
        assert.lengthOf(told.json.data.reasons, 100)
        return told.json.data.candidates.map(({ allowed, reasons }: { allowed: boolean; reasons: unknown[] }) => [
          allowed,
          reasons.length
        ])
      }
      assert.deepEqual(
        await reasonsWith("few"),
        Array.from({ length: 100 }, () => [false, 100])
      )
      assert.deepEqual(await reasonsWith("many"), [[false, 100], ...Array.from({ length: 100 }, () => [false, 0])])
      return explained(world, { model: `${author}/few` })
    }
  },
  routes("what costs no more than a request would pay", () => ({ provider: { max_price: { prompt: 2 } } }), [
    "anthropic",
    "xai"
  ]),
  routes(
    "a bound on each price, as the public client sends them",
    () => ({ provider: { max_price: { prompt: "3", completion: "1", request: "0" } } }),
    ["anthropic"]
  ),
  {
    name: "nothing that costs as little as a request would pay",
    status: 200,
    run: async (world) => {
      const { one } = await openScene(world)
      const request = { model: one, provider: { max_price: { completion: 0.5 } } }
      const told = await explained(world, request)
      assert.strictEqual(told.json.data.decision, "deny")
      assert.deepEqual(told.json.data.candidates[0].reasons, [
        { scope: "request", guardrail_id: null, field: "provider.max_price", value: { completion: 0.5 } }
      ])
      return ask(world, request)
    },
    check: (answer) => {
      assert.strictEqual(answer.json.data.status, 404)
      assert.deepEqual(reasonsOf(answer), [{ field: "provider.max_price", value: { completion: 0.5 } }])
    }
  },
  routes("the cheapest first", () => ({ provider: { sort: "price" } }), ["anthropic", "xai", "openai"]),
  routes("the quickest to answer first, what was not measured last", () => ({ provider: { sort: "latency" } }), [
    "anthropic",
    "openai",
    "xai"
  ]),
  routes("the fastest to write first", () => ({ provider: { sort: { by: "throughput" } } }), [
    "anthropic",
    "openai",
    "xai"
  ]),
  routes(
    "the endpoints of all models together",
    ({ free }) => ({ models: [free], provider: { sort: { by: "price", partition: "none" } } }),
    ["xai", "anthropic", "xai", "openai"]
  ),
  routes(
    "what keeps to a preferred speed before what does not",
    () => ({ provider: { preferred_max_latency: 3, preferred_min_throughput: { p50: 50 } } }),
    ["anthropic", "openai", "xai"]
  ),
  routes("only what supports every parameter", () => ({ provider: { require_parameters: true }, temperature: 1 }), [
    "openai",
    "anthropic"
  ]),
  routes(
    "the workspace's order where the request has none",
    async ({ world }) => ({ api_key_hash: await keyWithDefaults(world, { default_provider_sort: "price" }) }),
    ["anthropic", "xai", "openai"]
  ),
  routes(
    "the request's order before the workspace's",
    async ({ world }) => ({
      api_key_hash: await keyWithDefaults(world, { default_provider_sort: "price" }),
      provider: { order: ["xai"] }
    }),
    ["xai", "openai", "anthropic"]
  ),
  routes(
    "the workspace's sorting by what was measured",
    async ({ world }) => ({
      api_key_hash: await keyWithDefaults(world, { default_provider_sort: "throughput" }),
      provider: { sort: null }
    }),
    ["anthropic", "openai", "xai"]
  ),
  routes(
    "the workspace's model where the request names none",
    async ({ world, free }) => ({
      model: null,
      api_key_hash: await keyWithDefaults(world, { default_text_model: free })
    }),
    ["xai"]
  ),
  routes(
    "a model of the request's own before the workspace's",
    async ({ world, free }) => ({ api_key_hash: await keyWithDefaults(world, { default_text_model: free }) }),
    ["openai", "anthropic", "xai"]
  ),
  routes(
    "a provider that is ignored by its name, whatever its case",
    () => ({}),
    ["openai", "xai"],
    ({ world }) => restrict(world, { ignored_providers: [" anthropic ", "OPENAI/fp16"] })
  ),
  routes(
    "an endpoint that is ignored by its tag",
    () => ({}),
    ["openai", "anthropic"],
    ({ world }) => restrict(world, { ignored_providers: ["XAI/FP8"] })
  ),
  {
    name: "a model that is ignored by its base, in every variant",
    status: 200,
    run: async (world) => {
      const { one, free } = await openScene(world)
      await restrict(world, { ignored_models: [one] })
      assert.strictEqual((await ask(world, { model: one })).json.data.status, 404)
      return ask(world, { model: free })
    },
    check: (answer) => {
      assert.strictEqual(answer.json.data.status, 404)
      assert.deepEqual(
        reasonsOf(answer).map(({ field }) => field),
        ["ignored_models"]
      )
    }
  },
  routes(
    "a variant that is ignored, and not its base",
    ({ free }) => ({ models: [free] }),
    ["openai", "anthropic", "xai"],
    ({ world, free }) => restrict(world, { ignored_models: [free] })
  ),
  bad("a price that is none", { max_price: { prompt: -1 } }, "max_price.prompt"),
  bad("a sorting that nobody knows", { sort: "luck" }, "sort"),
  bad("a speed that is none", { preferred_max_latency: -1 }, "preferred_max_latency")
]
