/** The reference gateway over real HTTP, before upstreams that play what a test tells them. */
import { type Fetch, newKeyring } from "@gatewarden/core/internal"
import { createGatewarden, type Gatewarden, memory, type Store } from "@gatewarden/core"
import { guardedFetch } from "@gatewarden/node/effect"
import { afterAll, afterEach, assert, beforeAll, beforeEach } from "@effect/vitest"
import { Redacted } from "effect"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { type Gateway, type GatewayOptions, makeGateway } from "../../../examples/gateway/src/Gateway.ts"
import { listen, type Serving } from "./listen.ts"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { type ChatUpstream, startChatUpstream } from "@gatewarden/testkit/upstream/chatUpstream"

const keyring = Redacted.value(newKeyring("test", (size) => new Uint8Array(size).fill(7)))

export const managementKey = `test-${"m".repeat(40)}`
export const broughtKey = "sk-brought-0123456789abcdefghij"
export const sharedKeys = {
  openai: "sk-shared-openai-0123456789",
  anthropic: "sk-shared-anthropic-0123456789",
  groq: "sk-shared-groq-0123456789"
}

/** What an upstream counts, and what a client says. */
export const usage = { prompt_tokens: 7, completion_tokens: 3 }

/** What a client reads of it, at a dollar a thousand tokens. */
export const costing = ({ prompt_tokens, completion_tokens }: typeof usage) => {
  const dollars = (tokens: number) => Number((tokens / 1000).toFixed(9))
  const cost = dollars(prompt_tokens + completion_tokens)
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    cost,
    is_byok: false,
    prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
    cost_details: {
      upstream_inference_cost: cost,
      upstream_inference_prompt_cost: dollars(prompt_tokens),
      upstream_inference_completions_cost: dollars(completion_tokens)
    }
  }
}
export const hello = [{ role: "user", content: "hello" }]

const readOnMillis = 1_234

/** Where accounts have their deployments: the upstream `deployment`, over a guarded `fetch` that is told where the name leads. */
export const deploymentUrl = "https://inference.example.com/v1"

/** A dollar a thousand tokens. */
const pricing = { prompt: "0.001", completion: "0.001" }
const model = catalogModel("acme/sonnet", {
  endpoints: ["openai", "anthropic", "mistral"].map((provider) => catalogEndpoint(provider, { pricing }))
})

export interface MadeKey {
  readonly key: string
  readonly hash: string
}

/** Call it in a test file, once: its hooks make an instance and a gateway anew for each test. `serving`: anew for each, too. */
export const gatewayUnderTest = (
  serving: () => Serving = () => ({}),
  store: () => Store | Promise<Store> = memory,
  options: Partial<GatewayOptions> = {}
) => {
  let started: ChatUpstream
  let gatewarden: Gatewarden
  let gateway: Gateway
  let server: Server
  let url: string
  /** What runs again and again, turned by hand. */
  const tasks = new Set<() => void>()
  /** How long the gateway paused between attempts to settle; a test waits for none of it. */
  const pauses: number[] = []
  /** Of these, what ends the patience with an answer that nobody waits for. */
  const patience = new Set<() => void>()
  const failures: string[] = []
  let allowPrivate = true
  const outgoing: Fetch = (url, init) =>
    guardedFetch({ allowPrivate })(url.replace(deploymentUrl, started.baseUrl("deployment")), init)

  beforeAll(async () => void (started = await startChatUpstream()))
  afterAll(() => started?.close())

  beforeEach(async () => {
    started.reset()
    allowPrivate = true
    gatewarden = await createGatewarden({ store: await store(), keyring, managementKey, fetch: outgoing })
    gateway = makeGateway({
      gatewarden,
      upstreams: {
        openai: {
          base_url: started.baseUrl("openai"),
          api_key: sharedKeys.openai,
          dialects: ["chat", "responses", "embeddings"]
        },
        anthropic: {
          base_url: started.baseUrl("anthropic"),
          api_key: sharedKeys.anthropic,
          dialects: ["chat", "messages"],
          models: { "acme/sonnet": "sonnet-2026" },
          token_limit_field: "max_tokens"
        },
        // Nobody waits for it.
        groq: { base_url: started.baseUrl("groq"), api_key: sharedKeys.groq, timeout_ms: 200 }
      },
      outgoing,
      read_on_ms: readOnMillis,
      every: (millis, task) => {
        const kind = millis === readOnMillis ? patience : tasks
        kind.add(task)
        return () => void kind.delete(task)
      },
      pause: async (millis) => void pauses.push(millis),
      onFailure: (what) => void failures.push(what),
      ...options
    })
    server = await listen(gatewarden, gateway, 0, "127.0.0.1", serving())
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
    await manage("PUT", "/gateway/catalog", { models: [model] })
  })
  afterEach(async () => {
    await gateway.idle()
    server.closeAllConnections()
    server.close()
    await gatewarden.close()
    assert.deepEqual(failures.splice(0), [])
    assert.strictEqual(tasks.size + patience.size, 0)
    pauses.splice(0)
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
        messages: hello,
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

  /** Waits until nothing of a key is held any more. */
  const settledOf = (key: MadeKey) =>
    eventually("settled", async () => ((await budgetOf(key)).held === "0" ? true : undefined))

  /** Waits until the gateway knows that so many clients have gone, and counts the time. */
  const patienceBegun = (clients = 1) => eventually("gone", async () => (patience.size >= clients ? true : undefined))

  /** Sends to a path below the base path, as it stands. */
  const post = (path: string, init: RequestInit) => fetch(`${url}${path}`, { method: "POST", ...init })

  return {
    address: () => url,
    ask,
    budgetOf,
    failures,
    gateway: () => gateway,
    gatewarden: () => gatewarden,
    manage,
    newKey,
    isolate: () => void (allowPrivate = false),
    patience,
    patienceBegun,
    pauses,
    post,
    recorded,
    settledOf,
    tasks,
    upstream: {
      calls: () => started.calls(),
      plays: (...script: Parameters<ChatUpstream["plays"]>) => started.plays(...script)
    }
  }
}
