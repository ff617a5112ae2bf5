/**
 * The unmodified public client against the real server, under the `auto` wire profile: typed results, nothing degraded
 * to unknown, nothing patched. Only its address and its retries are set.
 */
import { createHash } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { OpenRouter } from "@openrouter/sdk"
import { BadRequestResponseError, NotFoundResponseError } from "@openrouter/sdk/models/errors"
import * as z from "zod"
import { destinationConfigs } from "@gatewarden/conformance/internal/destination/destinationConfigs"
import { managementKey, type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"

let server: ServerProcess
let manager: OpenRouter
let user: OpenRouter
let userHash: string

const client = (apiKey: string) => new OpenRouter({ apiKey, serverURL: server.url, retryConfig: { strategy: "none" } })

/** Operations of ours, which the client does not have. */
const put = async (method: string, path: string, body: unknown) => {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  assert.strictEqual(response.status, 200, await response.clone().text())
}

/** What versions after the installed one require of a key's budgets. Source: OpenRouterTeam/typescript-sdk 5ad5258b, `GetCurrentKeyData`. */
const LaterKeyBudget = z.object({
  budget_id: z.string().nullable(),
  guardrail_id: z.string().nullable(),
  include_byok: z.boolean(),
  limit_usd: z.number(),
  remaining_usd: z.number(),
  reset_interval: z.enum(["daily", "weekly", "monthly"]).nullable(),
  resets_at: z.iso.datetime({ offset: true }).nullable(),
  scope: z.enum(["workspace_default_member", "workspace_default_key", "member", "api_key", "workspace", "key_limit"]),
  spend_usd: z.number()
})
const LaterCurrentKey = z.object({
  data: z.object({ budgets: z.array(LaterKeyBudget), effective_budget: LaterKeyBudget.nullable() })
})

const assertKnown = (value: object) => assert.notProperty(value, "isUnknown", JSON.stringify(value))

beforeAll(async () => {
  server = await startServerProcess()
  manager = client(managementKey)
  const made = await manager.apiKeys.create({ requestBody: { name: "user", limit: 10, limitReset: "daily" } })
  user = client(made.key)
  userHash = made.data.hash
  assert.strictEqual(userHash, createHash("sha256").update(made.key).digest("hex"))
})

afterAll(() => server?.stop())

describe("the public client", () => {
  it("lists and creates observability destinations, typed", async () => {
    const made = await manager.observability.create({
      createObservabilityDestinationRequest: {
        name: "Traces",
        type: "langfuse",
        config: { publicKey: "pk-lf-0123456789abcdefghijklmn", secretKey: "sk-lf-0123456789abcdefghijklmn" }
      }
    })
    assertKnown(made.data)
    assert.strictEqual(made.data.type, "langfuse")
    const pages = []
    for await (const page of await manager.observability.list({})) pages.push(...page.result.data)
    assert.strictEqual(pages.length, 1)
    for (const destination of pages) assertKnown(destination)
  })

  it("reads, updates and deletes destinations of every type, each parsed as its type", async () => {
    for (const [type, { sent }] of Object.entries(destinationConfigs)) {
      const ofType = <D extends { readonly type: string }>(destination: D) => {
        assertKnown(destination)
        assert.strictEqual(destination.type, type)
        return destination as Exclude<D, { isUnknown: true }>
      }
      const made = await manager.observability.create({
        // The client's union has one member for each type, and the fixtures are a table of all of them.
        createObservabilityDestinationRequest: { name: type, type: type as "webhook", config: sent }
      })
      const { id, config } = ofType(made.data)
      const changed = await manager.observability.update({
        id,
        updateObservabilityDestinationRequest: { name: "changed", config: { ...config } }
      })
      assert.deepEqual(ofType(changed.data).config, config)
      const read = await manager.observability.get({ id })
      assert.deepEqual(ofType(read.data), changed.data)
      assert.isTrue((await manager.observability.delete({ id })).deleted)
      const gone = await manager.observability.get({ id }).then(
        () => assert.fail("found"),
        (error: unknown) => error
      )
      assert.instanceOf(gone, NotFoundResponseError)
    }
  })

  it("goes through the authorization code flow", async () => {
    const { codeChallenge, codeVerifier } = await manager.oAuth.createSHA256CodeChallenge()
    const code = await manager.oAuth.createAuthCode({
      requestBody: {
        callbackUrl: "http://localhost:3000/callback",
        codeChallenge,
        codeChallengeMethod: "S256",
        limit: 1
      }
    })
    assert.strictEqual(code.data.appId, 1)
    const exchanged = await manager.oAuth.exchangeAuthCodeForAPIKey({
      requestBody: { code: code.data.id, codeVerifier, codeChallengeMethod: "S256" }
    })
    const current = await client(exchanged.key).apiKeys.getCurrentKeyMetadata()
    assert.strictEqual(current.data.limit, 1)
  })

  it("reads the key, whose answer has the budgets that later versions require", async () => {
    assert.strictEqual((await user.apiKeys.getCurrentKeyMetadata()).data.limit, 10)
    const read = async (key: string) => {
      const response = await fetch(`${server.url}/key`, { headers: { authorization: `Bearer ${key}` } })
      return LaterCurrentKey.parse(await response.json()).data
    }
    const made = await manager.apiKeys.create({ requestBody: { name: "limited", limit: 10, limitReset: "daily" } })
    const { budgets, effective_budget } = await read(made.key)
    assert.deepEqual(budgets, effective_budget === null ? [] : [effective_budget])
    assert.deepInclude(effective_budget, { scope: "key_limit", limit_usd: 10, remaining_usd: 10 })
    assert.deepEqual(await read(managementKey), { budgets: [], effective_budget: null })
  })

  it("creates, updates and reads guardrails", async () => {
    const made = await manager.guardrails.create({
      createGuardrailRequest: {
        name: "Production",
        allowedDataRegions: ["europe"],
        contentFilterBuiltins: [{ slug: "email", action: "redact" }],
        limitUsd: 12.5,
        resetInterval: "monthly"
      }
    })
    assert.strictEqual(made.data.limitUsd, 12.5)
    const updated = await manager.guardrails.update({
      id: made.data.id,
      updateGuardrailRequest: { allowedDataRegions: null, description: "changed" }
    })
    assert.isNull(updated.data.allowedDataRegions)
    const read = await manager.guardrails.get({ id: made.data.id })
    assert.deepEqual(read.data, updated.data)
  })

  it("creates, reads, updates, lists and deletes credentials", async () => {
    const made = await manager.byok.create({
      createBYOKKeyRequest: {
        key: "sk-0123456789abcdefghijklmnopqrst",
        provider: "openai",
        name: "Ours",
        allowedApiKeyHashes: [userHash]
      }
    })
    assert.notInclude(made.data.label, "0123456789")
    const updated = await manager.byok.update({
      id: made.data.id,
      updateBYOKKeyRequest: { disabled: true, name: null }
    })
    assert.isTrue(updated.data.disabled)
    const listed = []
    for await (const page of await manager.byok.list({})) listed.push(...page.result.data)
    assert.deepEqual(listed, [updated.data])
    const { id } = made.data
    assert.deepEqual((await manager.byok.get({ id })).data, updated.data)
    assert.isTrue((await manager.byok.delete({ id })).deleted)
    const gone = await manager.byok.get({ id }).catch((error: unknown) => error)
    assert.instanceOf(gone, NotFoundResponseError)
  })

  it("queries analytics (the client drops the columns of the rows)", async () => {
    await put("POST", "/gateway/usage-events", {
      events: [
        {
          id: "e1",
          created_at: new Date().toISOString(),
          model: "acme/one",
          provider: "acme",
          prompt_tokens: 10,
          completion_tokens: 5,
          cost_usd: "0.25",
          api_key_hash: userHash
        }
      ]
    })
    const meta = await manager.analytics.getAnalyticsMeta()
    assert.isTrue(meta.data.metrics.some((metric) => metric.name === "request_count"))
    const answer = await manager.analytics.queryAnalytics({
      requestBody: { metrics: ["request_count"], dimensions: ["model"], granularity: "day" }
    })
    assert.strictEqual(answer.data.metadata.rowCount, 1)
    assert.isFalse(answer.data.metadata.truncated)
  })

  it("reads the activity of the last 30 days, also by workspace", async () => {
    const before = new Date(Date.now() - 129_600_000).toISOString()
    await put("POST", "/gateway/usage-events", {
      events: [
        {
          id: "of-a-day-before",
          created_at: before,
          model: "acme/one",
          provider: "acme",
          endpoint_tag: "acme/fp8",
          prompt_tokens: 10,
          completion_tokens: 5,
          cost_usd: "0.25"
        }
      ]
    })
    const activity = await manager.analytics.getUserActivity({ date: before.slice(0, 10) })
    assert.deepEqual(activity.data, [
      {
        date: before.slice(0, 10),
        model: "acme/one",
        modelPermaslug: "acme/one",
        endpointId: "acme/fp8",
        providerName: "acme",
        usage: 0.25,
        byokUsageInference: 0,
        requests: 1,
        promptTokens: 10,
        completionTokens: 5,
        reasoningTokens: 0
      }
    ])
    const split = await manager.analytics.getUserActivity({ groupBy: "workspace" })
    assert.isTrue(split.data.every(({ workspaceId }) => typeof workspaceId === "string"))
  })

  it("reads a generation, and gives feedback on it", async () => {
    const { data } = await manager.generations.getGeneration({ id: "of-a-day-before" })
    assert.deepInclude(data, { id: "of-a-day-before", model: "acme/one", totalCost: 0.25, tokensPrompt: 10 })
    assert.deepInclude(data, { dataRegion: "global", origin: "", streamed: null, providerResponses: null })
    const given = await manager.generations.submitFeedback({
      submitGenerationFeedbackRequest: { generationId: "of-a-day-before", category: "latency", comment: "Slow." }
    })
    assert.isTrue(given.data.success)
    const unknown = await manager.generations.getGeneration({ id: "nobody" }).catch((error: unknown) => error)
    assert.strictEqual((unknown as Error).constructor.name, "NotFoundResponseError")
  })

  it("reads input and output that a workspace keeps", async () => {
    const workspace = (await manager.workspaces.get({ id: "default" })).data
    await manager.workspaces.update({
      id: workspace.id,
      updateWorkspaceRequest: { isObservabilityIoLoggingEnabled: true }
    })
    const { hash } = (await manager.apiKeys.create({ requestBody: { name: "logged" } })).data
    await put("POST", "/gateway/usage-events", {
      events: [
        {
          id: "kept",
          created_at: new Date().toISOString(),
          model: "acme/one",
          provider: "acme",
          prompt_tokens: 1,
          completion_tokens: 1,
          cost_usd: 0,
          api_key_hash: hash,
          input: { messages: [{ role: "user", content: "What?" }] },
          output: "That."
        }
      ]
    })
    const { data } = await manager.generations.listGenerationContent({ id: "kept" })
    assert.deepEqual(data, {
      error: null,
      input: { messages: [{ role: "user", content: "What?" }] },
      output: { completion: "That.", reasoning: null }
    })
    const unknown = await manager.generations.listGenerationContent({ id: "nobody" }).catch((error: unknown) => error)
    assert.strictEqual((unknown as Error).constructor.name, "NotFoundResponseError")
  })

  it("uploads, reads and deletes files, typed", async () => {
    const file = new Blob([JSON.stringify({ a: 1 })], { type: "application/json" })
    const uploaded = await user.files.upload({ requestBody: { file } })
    assertKnown(uploaded)
    const id = "id" in uploaded ? uploaded.id : assert.fail()
    assertKnown(await user.files.retrieve({ fileId: id }))
    const second = await user.files.upload({ requestBody: { file } })
    const listed: unknown[] = []
    for await (const { result } of await user.files.list({ limit: 1 })) {
      assertKnown(result)
      assert.strictEqual(result.shape, "openrouter")
      listed.push(...("data" in result ? result.data.map((one) => ("id" in one ? one.id : one)) : []))
    }
    assert.deepEqual(listed, [id, "id" in second ? second.id : assert.fail()])
    const refusal = await user.files.download({ fileId: id }).catch((cause: unknown) => cause)
    assert.instanceOf(refusal, BadRequestResponseError)
    const deleted = await manager.files.delete({ fileId: id })
    assertKnown(deleted)
  })

  it("reads the rankings", async () => {
    const rankings = await user.datasets.getRankingsDaily({
      startDate: "2025-01-01",
      endDate: "2025-01-31",
      period: "week"
    })
    assert.strictEqual(rankings.meta.version, "v1")
    assert.strictEqual(rankings.meta.startDate, "2025-01-01")
  })

  it("reads the datasets of apps, sessions and tasks", async () => {
    const event = (index: number) => ({
      id: `dataset ${index}`,
      created_at: "2025-04-02T12:00:00Z",
      model: "acme/one",
      provider: "acme",
      prompt_tokens: 10 - index,
      completion_tokens: 0,
      cost_usd: "0.5",
      origin: `https://app-${index}.example`,
      app: `App ${index}`,
      app_categories: ["cli-agent"]
    })
    await put("POST", "/gateway/usage-events", { events: [0, 1, 2].map(event) })
    const window = { startDate: "2025-04-01", endDate: "2025-04-30" }
    const named = []
    for await (const page of await user.datasets.getAppRankings({ ...window, category: "coding", limit: 2 })) {
      assertKnown(page)
      named.push(
        ...page.result.data.map(({ rank, appName, totalRequests, totalTokens }) => [
          rank,
          appName,
          totalRequests,
          totalTokens
        ])
      )
    }
    assert.deepEqual(named, [
      [1, "App 0", 1, "10"],
      [2, "App 1", 1, "9"],
      [3, "App 2", 1, "8"]
    ])
    const trending = await user.datasets.getAppRankings({ ...window, sort: "trending", subcategory: "cli-agent" })
    assert.strictEqual(trending.result.meta.version, "v1")
    const costs = await user.datasets.getSessionCost({ turnRange: "2-9-turns", appSlug: "app-0.example" })
    assertKnown(costs)
    assert.deepInclude(costs.result, { data: [] })
    assert.isNull(costs.result.meta.windowEndDate)
    const tasks = await user.classifications.getTaskClassifications({ window: "7d" })
    assertKnown(tasks)
    assert.deepEqual(
      tasks.data.macroCategories.map(({ key }) => key),
      ["code", "data", "agent", "general"]
    )
  })

  it("lists the endpoints of a model", async () => {
    await put("PUT", "/gateway/catalog", {
      models: [
        {
          id: "acme/one",
          name: "Acme One",
          created: 1_750_000_000,
          description: "",
          architecture: {
            input_modalities: ["text"],
            output_modalities: ["text"],
            modality: "text->text",
            instruct_type: null,
            tokenizer: "Other"
          },
          endpoints: [
            {
              name: "Acme | acme/one",
              model_name: "Acme One",
              provider_name: "Acme",
              provider_slug: "acme",
              tag: "acme",
              context_length: 8192,
              max_completion_tokens: null,
              max_prompt_tokens: null,
              pricing: { prompt: "0.000001", completion: "0.000002" },
              quantization: null,
              supported_parameters: ["tools", "temperature"],
              supports_implicit_caching: false
            }
          ]
        }
      ]
    })
    const listed = await user.endpoints.list({ author: "acme", slug: "one" })
    const [endpoint] = listed.data.endpoints
    assert.strictEqual(endpoint?.status, 0)
    assert.strictEqual(endpoint?.modelId, "acme/one")
  })

  it("creates and reads presets", async () => {
    const made = await user.presets.createPresetsChatCompletions({
      slug: "support",
      chatRequest: {
        model: "acme/one",
        temperature: 0.2,
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Hello" }
        ]
      }
    })
    assert.strictEqual(made.data.designatedVersion?.systemPrompt, "Be brief.")
    const read = await user.presets.get({ slug: "support" })
    assert.deepEqual(read.data, made.data)
    const messages = await user.presets.createPresetsMessages({
      slug: "messages",
      messagesRequest: {
        model: "acme/one",
        system: "Be brief.",
        maxTokens: 100,
        messages: [{ role: "user", content: "Hello" }],
        tools: [{ name: "weather", inputSchema: { type: "object" } }]
      }
    })
    assert.strictEqual(messages.data.designatedVersion?.systemPrompt, "Be brief.")
    const responses = await user.presets.createPresetsResponses({
      slug: "messages",
      responsesRequest: {
        model: "acme/one",
        instructions: "Be long.",
        input: "Hello",
        tools: [{ type: "function", name: "weather", parameters: { type: "object" } }]
      }
    })
    assert.deepInclude(responses.data.designatedVersion, { version: 2, systemPrompt: "Be long." })
    assert.deepEqual(
      responses.data.designatedVersion?.config["tools"],
      messages.data.designatedVersion?.config["tools"]
    )
    const { designatedVersion, ...summary } = made.data
    const { designatedVersion: _, ...other } = responses.data
    assert.deepEqual((await user.presets.list({})).result, { data: [other, summary], totalCount: 2 })
    const versions = await user.presets.listVersions({ slug: "support" })
    assert.deepEqual(versions.result, { data: [designatedVersion], totalCount: 1 })
    const version = await user.presets.getVersion({ slug: "support", version: "1" })
    assert.deepEqual(version.data, designatedVersion)
  })

  it("creates, reads, lists, changes and deletes workspaces", async () => {
    const made = await manager.workspaces.create({ createWorkspaceRequest: { name: "Second", slug: "second" } })
    const read = await manager.workspaces.get({ id: made.data.slug })
    assert.deepEqual(read.data, made.data)
    const updated = await manager.workspaces.update({
      id: made.data.slug,
      updateWorkspaceRequest: { defaultProviderSort: "price", disabledServerTools: ["openrouter:web_search"] }
    })
    assert.deepEqual(updated.data, {
      ...made.data,
      defaultProviderSort: "price",
      disabledServerTools: ["openrouter:web_search"],
      updatedAt: updated.data.updatedAt
    })
    const listed = await manager.workspaces.list({})
    assert.strictEqual(listed.result.totalCount, 2)
    assert.deepEqual(listed.result.data[1], updated.data)
    const deleted = await manager.workspaces.delete({ id: made.data.id })
    assert.isTrue(deleted.deleted)
  })

  it("gets typed errors with our metadata", async () => {
    const refused = await manager.guardrails.create({ createGuardrailRequest: { name: "", limitUsd: 1 } }).then(
      () => assert.fail("accepted"),
      (error: unknown) => error
    )
    assert.strictEqual((refused as Error).constructor.name, "BadRequestResponseError")
    const forbidden = await user.guardrails.get({ id: "00000000-0000-4000-8000-000000000000" }).then(
      () => assert.fail(),
      (error: unknown) => error
    )
    assert.strictEqual((forbidden as { statusCode: number }).statusCode, 403)
  })
})
