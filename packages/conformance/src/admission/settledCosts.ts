/**
 * What a settlement without a cost is charged: the usage that it reports, and what was held for what it does not.
 * Rule: money#cost-of-usage.
 */
import { assert } from "@effect/vitest"
import type { Answer, World } from "../World.ts"
import { pricedModel } from "./admissionBounds.ts"
import { ask, limitedKey, nowOf } from "./admissionWorld.ts"
import { endpoint as listedEndpoint, list, model as listedModel } from "../model/catalog.ts"
import type { Case } from "../http/Case.ts"

type Fields = Readonly<Record<string, unknown>>

const user = (content: unknown) => [{ role: "user", content }]
const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } }

interface Settling {
  readonly pricing: Fields
  readonly request?: Fields
  readonly event: Fields
  readonly endpoint?: Fields
  readonly key?: Fields | null
  /** Prices from the admission on. */
  readonly repriced?: Fields
}

interface Settled {
  readonly answer: Answer
  readonly held: number
}

/** Admits under a limit that pays for everything, or none where `key` is null, and settles. */
const settled = async (
  world: World,
  { pricing, request, event, endpoint, key = {}, repriced }: Settling
): Promise<Settled> => {
  const model = await pricedModel(world, pricing, endpoint)
  const asked = { model, messages: user("Hello"), max_completion_tokens: 1000, ...request }
  const api_key_hash = key === null ? {} : { api_key_hash: await limitedKey(world, 1_000_000, key) }
  const { data } = (await ask(world, { ...asked, ...api_key_hash })).json
  assert.strictEqual(data.decision, "allow", JSON.stringify(data.reasons))
  if (repriced !== undefined) {
    const endpoints = [listedEndpoint({ context_length: 200_000, tag: "acme", ...endpoint, pricing: repriced })]
    await list(world, listedModel(model, { endpoints }))
  }
  const answer = await world.call("settleAdmission", {
    params: { id: data.id },
    body: { event: { created_at: nowOf(world), model, provider: "acme", ...event } }
  })
  return { answer, held: Number(data.holds[0]?.amount_usd ?? 0) }
}

const charged = ({ json: { data } }: Answer): string => data.charged[0].amount_usd

const charges = (name: string, settling: Settling, amount: string): Case => ({
  name,
  status: 200,
  run: async (world) => (await settled(world, settling)).answer,
  check: (answer) => assert.strictEqual(charged(answer), amount)
})

const chargesAllHeld = (name: string, settling: Settling): Case => ({
  name,
  status: 200,
  run: async (world) => {
    const { answer, held } = await settled(world, settling)
    assert.isAbove(held, 0)
    assert.strictEqual(Number(charged(answer)), held)
    return answer
  }
})

const cents = { prompt: "0.01", completion: "0.01" }
const used = { prompt_tokens: 10, completion_tokens: 5 }
const images = { messages: user(Array.from({ length: 10 }, () => image)) }
const text = user("x".repeat(70))
const textBytes = JSON.stringify(text).length

export const settledCostCases: readonly Case[] = [
  charges("the reported usage at the catalog's prices", { pricing: cents, event: used }, "0.15"),
  charges(
    "every price of a kind, as the public usage names it",
    {
      pricing: {
        prompt: "0.001",
        completion: "0.001",
        input_cache_read: "0.0001",
        input_cache_write: "0.002",
        input_cache_write_1h: "0.003",
        audio: "0.004",
        internal_reasoning: "0.005",
        audio_output: "0.006",
        image_output: "0.007",
        web_search: "0.01",
        request: "0.02",
        image: "0.05"
      },
      request: { ...images, tools: [{ type: "openrouter:web_search", parameters: { max_uses: 5 } }] },
      event: {
        prompt_tokens: 100,
        prompt_tokens_details: {
          cached_tokens: 10,
          cache_write_tokens: 20,
          cache_write_1h_tokens: 5,
          audio_tokens: 10,
          image_tokens: 0
        },
        completion_tokens: 100,
        completion_tokens_details: { reasoning_tokens: 10, audio_tokens: 20, image_tokens: 30 },
        server_tool_use: { web_search_requests: 2 },
        images: 3
      }
    },
    // 10 × 0.0001 + 15 × 0.002 + 5 × 0.003 + 10 × 0.004 + 60 × 0.001 = 0.146; 10 × 0.005 + 20 × 0.006 + 30 × 0.007 + 40 × 0.001
    // = 0.42; 2 × 0.01 + 0.02 + 3 × 0.05 = 0.19.
    "0.756"
  ),
  charges(
    "ten images that the upstream did not report",
    { pricing: { ...cents, image: "0.05" }, request: images, event: used },
    "0.65"
  ),
  charges(
    "searches that it did not report",
    {
      pricing: { ...cents, prompt: "0", web_search: "0.05" },
      request: { tools: [{ type: "openrouter:web_search", parameters: { max_uses: 3 } }] },
      event: { prompt_tokens: 10, completion_tokens: 0 }
    },
    "0.15"
  ),
  charges(
    "an abandoned stream: the prompt that was held, and what came through",
    {
      pricing: { prompt: "0.001", completion: "0.002" },
      request: { messages: text },
      event: { completion_tokens: 3, status: "cancelled" }
    },
    String((textBytes + 6) / 1000)
  ),
  charges(
    "a completion that was not counted: the tokens that were held, at the highest price of any kind",
    {
      pricing: { prompt: "0.001", completion: "0.002", audio_output: "0.008" },
      event: { prompt_tokens: 10, completion_tokens: null, cost_usd: null }
    },
    "8.01"
  ),
  charges(
    "an abandoned stream of which only bytes were counted",
    {
      pricing: { prompt: "0.001", completion: "0.002" },
      request: { messages: text },
      event: { completion_bytes: 20, status: "cancelled", prompt_tokens: null, completion_tokens: null, cost_usd: null }
    },
    String((textBytes + 40) / 1000)
  ),
  ...[
    { prompt_tokens: 10, completion_tokens: 5, total_tokens: 30 },
    { prompt_tokens: 10, total_tokens: 30 },
    { prompt_tokens: 10, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 20 } },
    { prompt_tokens: 10, completion_tokens: 20, total_tokens: 12 }
  ].map((event) =>
    charges(
      `reasoning that only a total or a detail counts: ${JSON.stringify(event)}`,
      { pricing: cents, event },
      "0.3"
    )
  ),
  ...[-1, 1.5, 2 ** 53, "10", {}].map((count) =>
    charges(
      `a number of tokens that is no count, as not reported: ${JSON.stringify(count)}`,
      {
        pricing: { prompt: "0.001", completion: "0.002" },
        request: { messages: text },
        event: {
          prompt_tokens: count,
          completion_tokens: 3,
          total_tokens: count,
          prompt_tokens_details: count,
          completion_tokens_details: { reasoning_tokens: count },
          server_tool_use: { web_search_requests: count }
        }
      },
      String((textBytes + 6) / 1000)
    )
  ),
  chargesAllHeld("a price that rose since the admission: no more than was held for this size", {
    pricing: cents,
    event: { prompt_tokens: 10, completion_tokens: 1000 },
    repriced: { prompt: "1", completion: "1" }
  }),
  chargesAllHeld("a price that rose since the request was admitted as free of charge", {
    pricing: { prompt: "0", completion: "0", request: "0.000000001" },
    event: used,
    repriced: cents
  }),
  {
    name: "a price that rose since the admission: usage beyond the admitted size costs what was held, and its own price",
    status: 200,
    run: async (world) => {
      const { answer, held } = await settled(world, {
        pricing: { prompt: "0", completion: "0.01" },
        event: { prompt_tokens: 10, completion_tokens: 1003 },
        repriced: { prompt: "0", completion: "1" }
      })
      assert.deepEqual([held, charged(answer)], [10, "13"])
      return answer
    }
  },
  charges(
    "a price that fell since the admission",
    { pricing: cents, event: used, repriced: { prompt: "0.001", completion: "0.001" } },
    "0.015"
  ),
  charges(
    "a price that rose since the request named the amount to hold",
    { pricing: cents, request: { max_cost_usd: "0.1" }, event: used, repriced: { prompt: "0.1", completion: "0.1" } },
    "1.5"
  ),
  chargesAllHeld("nothing was reported at all", { pricing: cents, event: { status: "error" } }),
  chargesAllHeld("an endpoint that the catalog does not know", {
    pricing: cents,
    event: { ...used, provider: "other" }
  }),
  chargesAllHeld("a price that nobody knows, under a ceiling", {
    pricing: {},
    request: { max_cost_usd: "0.5" },
    event: used
  }),
  {
    name: "the cost that it names, whatever it used",
    status: 200,
    run: async (world) =>
      (await settled(world, { pricing: cents, event: { ...used, cost_usd: "0.125", images: 3 } })).answer,
    check: (answer) => assert.strictEqual(charged(answer), "0.125")
  },
  charges(
    "optional fields that are null",
    {
      pricing: cents,
      event: {
        ...Object.fromEntries(
          [
            "endpoint_tag",
            "user_id",
            "prompt_tokens_details",
            "completion_tokens_details",
            "server_tool_use",
            "cached_tokens",
            "cache_write_tokens",
            "reasoning_tokens",
            "tool_calls",
            "images",
            "requests",
            "completion_bytes",
            "cost_usd",
            "byok",
            "byok_cost_usd",
            "cost_components",
            "status",
            "finish_reason",
            "latency_ms",
            "generation_ms",
            "session_id",
            "trace",
            "data_region",
            "input_modalities",
            "output_modalities",
            "category",
            "language_type",
            "sample_weight",
            "classifiers",
            "guardrail_invoked",
            "guardrail_id",
            "response_cached",
            "input",
            "output"
          ].map((field) => [field, null])
        ),
        ...used
      }
    },
    "0.15"
  ),
  {
    name: "a cost without usage",
    status: 200,
    run: async (world) => (await settled(world, { pricing: cents, event: { cost_usd: "0.125" } })).answer,
    check: (answer) => assert.strictEqual(charged(answer), "0.125")
  },
  {
    name: "of the workspace's own credential: no cost of shared capacity",
    status: 200,
    run: async (world) => {
      const key = { include_byok_in_limit: true }
      const { answer } = await settled(world, { pricing: cents, event: { ...used, byok: true }, key })
      assert.strictEqual(charged(answer), "0.15")
      return (await settled(world, { pricing: cents, event: { ...used, byok: true } })).answer
    },
    check: (answer) => assert.strictEqual(charged(answer), "0")
  },
  {
    name: "what was not reported counts as nothing in analytics",
    status: 200,
    run: async (world) =>
      (await settled(world, { pricing: cents, event: { completion_tokens: 3, status: "cancelled" } })).answer,
    check: async (_, world) => {
      const answer = await world.call("queryAnalytics", { body: { metrics: ["tokens_prompt", "tokens_completion"] } })
      assert.deepEqual(answer.json.data.data, [{ tokens_prompt: 0, tokens_completion: 3 }])
    }
  },
  {
    name: "of a key without budgets: at the catalog's prices, too",
    status: 200,
    run: async (world) =>
      (
        await settled(world, {
          pricing: cents,
          event: { completion_tokens: 0 },
          request: { messages: text },
          key: null
        })
      ).answer,
    check: async (_, world) => {
      const answer = await world.call("queryAnalytics", { body: { metrics: ["credits_usage"] } })
      assert.deepEqual(answer.json.data.data, [{ credits_usage: textBytes / 100 }])
    }
  },
  {
    name: "of a model without a known price, where nothing was held",
    status: 400,
    run: async (world) => (await settled(world, { pricing: {}, event: used, key: null })).answer,
    check: ({ json }) => {
      assert.strictEqual(json.error.metadata.reason, "price_unknown")
      assert.strictEqual(json.error.metadata.issues[0].path, "event.cost_usd")
    }
  },
  {
    name: "without usage, again after it was settled: the same answer",
    status: 200,
    run: async (world) => {
      const model = await pricedModel(world, cents)
      const body = { event: { created_at: nowOf(world), model, provider: "acme", status: "cancelled" } }
      const { data } = (await ask(world, { model, messages: text })).json
      const first = await world.call("settleAdmission", { params: { id: data.id }, body })
      const second = await world.call("settleAdmission", { params: { id: data.id }, body })
      assert.deepEqual(second.json, first.json)
      return second
    }
  }
]
