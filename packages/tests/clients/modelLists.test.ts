/** The unmodified clients list models, endpoints and providers: typed results, page after page. Only their address is set. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { OpenRouter } from "@openrouter/sdk"
import OpenAI from "openai"
import { endpoint, model } from "@gatewarden/conformance/internal/model/catalog"
import { managementKey, type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"

let server: ServerProcess
let user: OpenRouter
let key: string

const client = (apiKey: string) => new OpenRouter({ apiKey, serverURL: server.url, retryConfig: { strategy: "none" } })

const giving = (output: string) => ({ architecture: { input_modalities: ["text"], output_modalities: [output] } })

const forgetting = endpoint({
  zero_data_retention: true,
  provider_slug: "beta",
  provider_name: "Beta",
  tag: "beta",
  provider_info: { privacy_policy_url: "https://example.com/privacy", headquarters: "FR", datacenters: ["FR"] }
})

const models = [
  model("acme/a", {
    listing: {
      categories: ["programming"],
      benchmarks: {
        artificial_analysis: { agentic_index: 40, coding_index: 50, intelligence_index: null },
        design_arena: [{ arena: "models", category: "website", elo: 1300, rank: 1, win_rate: 60 }]
      },
      default_parameters: { temperature: 0.5 },
      knowledge_cutoff: "2025-06"
    }
  }),
  model("acme/b", { created: 1_767_225_601, endpoints: [forgetting, endpoint()] }),
  model("acme/c", { created: 1_767_225_600, endpoints: [endpoint({ context_length: 1 })] }),
  model("acme/embeddings", giving("embeddings")),
  model("acme/image", giving("image")),
  model("acme/video", giving("video"))
]

const idsOf = async (
  pages: AsyncIterable<{ readonly result: { readonly data: readonly { readonly id: string }[] } }>
): Promise<readonly string[]> => {
  const found: string[] = []
  for await (const { result } of pages) found.push(...result.data.map(({ id }) => id))
  return found
}

beforeAll(async () => {
  server = await startServerProcess()
  const manager = client(managementKey)
  const put = await fetch(`${server.url}/gateway/catalog`, {
    method: "PUT",
    headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
    body: JSON.stringify({ models })
  })
  assert.strictEqual(put.status, 200, await put.clone().text())
  const made = await manager.apiKeys.create({ requestBody: { name: "user" } })
  key = made.key
  user = client(key)
  const guardrail = await manager.guardrails.create({
    createGuardrailRequest: { name: "Beta alone", allowedProviders: ["beta"] }
  })
  await manager.guardrails.bulkAssignKeys({
    id: guardrail.data.id,
    bulkAssignKeysRequest: { keyHashes: [made.data.hash] }
  })
})

afterAll(() => server?.stop())

describe("lists of models", () => {
  it("are filtered, sorted and paged for `@openrouter/sdk`", async () => {
    assert.deepEqual(await idsOf(await user.models.list({})), ["acme/a", "acme/b", "acme/c"])
    assert.deepEqual(
      await idsOf(await user.models.list({ limit: 2, outputModalities: "all" })),
      models.map(({ id }) => String(id))
    )
    assert.deepEqual(await idsOf(await user.models.list({ sort: "newest", context: 2 })), ["acme/b", "acme/a"])
    const narrow = {
      q: "ACME",
      category: "programming",
      supportedParameters: "tools",
      inputModalities: "text",
      maxPrice: 1,
      minOutputPrice: 2,
      arch: "other",
      modelAuthors: "acme",
      providers: "acme",
      distillable: "false",
      minAgeDays: 0,
      minCodingIndex: 49.5,
      maxAgenticIndex: 40
    } as const
    assert.deepEqual(await idsOf(await user.models.list(narrow)), ["acme/a"])
    assert.deepEqual(await idsOf(await user.models.list({ zdr: "true" })), ["acme/b"])
    assert.isEmpty(await idsOf(await user.models.list({ region: "eu" })))
    assert.strictEqual((await user.models.count()).data.count, 3)
    assert.strictEqual((await user.models.count({ outputModalities: "image,video" })).data.count, 2)
  })

  it("show what the catalog tells", async () => {
    const { data } = await user.models.get({ author: "acme", slug: "a" })
    assert.strictEqual(data.benchmarks?.artificialAnalysis?.codingIndex, 50)
    assert.isNull(data.benchmarks?.artificialAnalysis?.intelligenceIndex)
    assert.strictEqual(data.benchmarks?.designArena[0]?.elo, 1300)
    assert.strictEqual(data.defaultParameters?.temperature, 0.5)
    assert.strictEqual(data.knowledgeCutoff, "2025-06")
    assert.strictEqual(data.links.details, "/models/acme/a/endpoints")
  })

  it("have what the key may use", async () => {
    assert.deepEqual(await idsOf(await user.models.listForUser({ bearer: key })), ["acme/b"])
  })

  it("of one kind", async () => {
    assert.deepEqual(await idsOf(await user.embeddings.listModels({})), ["acme/embeddings"])
    const images = await user.images.listModels()
    assert.deepEqual(
      images.data.map(({ id, supportsStreaming, endpoints }) => ({ id, supportsStreaming, endpoints })),
      [{ id: "acme/image", supportsStreaming: false, endpoints: "/images/models/acme/image/endpoints" }]
    )
    const { id, endpoints } = await user.images.listModelEndpoints({ author: "acme", slug: "image" })
    assert.strictEqual(id, "acme/image")
    assert.isNotEmpty(endpoints[0]?.providerTag)
    assert.isFalse(endpoints[0]?.supportsStreaming)
    assert.deepEqual(images.data[0]?.supportedParameters, {
      temperature: { type: "boolean" },
      tools: { type: "boolean" }
    })
    const videos = await user.videoGeneration.listVideosModels()
    assert.deepEqual(
      videos.data.map(({ id, seed, supportedSizes }) => ({ id, seed, supportedSizes })),
      [{ id: "acme/video", seed: false, supportedSizes: null }]
    )
  })

  it("are lists of models for `openai`", async () => {
    const found = []
    for await (const one of new OpenAI({ baseURL: server.url, apiKey: key }).models.list()) found.push(one)
    assert.deepEqual(
      found.map(({ id, object, owned_by, created }) => ({ id, object, owned_by, created })),
      ["acme/a", "acme/b", "acme/c"].map((id, at) => ({
        id,
        object: "model",
        owned_by: "acme",
        created: at === 1 ? 1_767_225_601 : 1_767_225_600
      }))
    )
  })
})

describe("lists of providers and endpoints", () => {
  it("are typed", async () => {
    const { data } = await user.providers.list()
    assert.deepEqual(
      data.map(({ slug, privacyPolicyUrl, headquarters, datacenters }) => [
        slug,
        privacyPolicyUrl,
        headquarters,
        datacenters
      ]),
      [
        ["acme", null, undefined, undefined],
        ["beta", "https://example.com/privacy", "FR", ["FR"]]
      ]
    )
    const zdr = await user.endpoints.listZdrEndpoints()
    assert.deepEqual(
      zdr.data.map(({ modelId, tag, status }) => [modelId, tag, status]),
      [["acme/b", "beta", 0]]
    )
  })
})
