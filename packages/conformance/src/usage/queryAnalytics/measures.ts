/** What metrics count, sum up and measure. */
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import { answers, count, given, of, on, oneDay } from "./scene.ts"

export const measures: readonly Case[] = [
  answers("a total", of("prompt_tokens", 1, 2), { metrics: ["request_count", "tokens_prompt"] }, [
    { request_count: 2, tokens_prompt: 3 }
  ]),
  answers(
    "a total of nothing",
    [],
    {
      metrics: [
        "request_count",
        "tokens_total",
        "total_usage",
        "usage_web",
        "avg_latency",
        "p50_latency",
        "cache_hit_rate",
        "response_cached_rate"
      ]
    },
    [
      {
        request_count: 0,
        tokens_total: 0,
        total_usage: 0,
        usage_web: null,
        avg_latency: null,
        p50_latency: null,
        cache_hit_rate: null,
        response_cached_rate: null
      }
    ]
  ),
  answers("empty buckets are no rows", on("01", "03"), oneDay, [
    { date__day: "2026-03-03T00:00:00.000Z", request_count: 1 },
    { date__day: "2026-03-01T00:00:00.000Z", request_count: 1 }
  ]),
  answers("nothing in time is no row", [], { ...oneDay, dimensions: ["model"] }, []),
  {
    name: "another account's events do not exist",
    status: 200,
    run: async (world) => {
      await given(await world.other(), {})
      return world.call("queryAnalytics", { body: count })
    },
    check: ({ json }) => assert.deepEqual(json.data.data, [{ request_count: 0 }])
  },
  answers(
    "sums, counts and money",
    [
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        reasoning_tokens: 3,
        cached_tokens: 4,
        cache_write_tokens: 2,
        cost_usd: "0.1",
        byok_cost_usd: "0.2",
        byok: true,
        guardrail_invoked: true,
        cost_components: { usage_cache: "0.000000001", byok_fees: 0 }
      },
      {
        prompt_tokens: 10,
        cost_usd: 0.2,
        cache_write_tokens: 5,
        response_cached: true,
        cost_components: { usage_cache: "0.000000002" }
      }
    ],
    {
      metrics: [
        "tokens_total",
        "reasoning_tokens",
        "cached_tokens",
        "cache_write_tokens",
        "byok_request_count",
        "guardrail_invoked_count",
        "response_cached_count",
        "total_usage",
        "byok_usage",
        "credits_usage",
        "platform_usage",
        "byok_fees",
        "usage_cache",
        "usage_upstream",
        "cache_hit_rate",
        "guardrail_invoked_rate",
        "response_cached_rate"
      ]
    },
    [
      {
        tokens_total: 45,
        reasoning_tokens: 3,
        cached_tokens: 4,
        cache_write_tokens: 7,
        byok_request_count: 1,
        guardrail_invoked_count: 1,
        response_cached_count: 1,
        total_usage: 0.5,
        byok_usage: 0.2,
        credits_usage: 0.3,
        platform_usage: 0.3,
        byok_fees: 0,
        usage_cache: 3e-9,
        usage_upstream: null,
        cache_hit_rate: 0.2,
        guardrail_invoked_rate: 0.5,
        response_cached_rate: 0.5
      }
    ]
  ),
  answers(
    "the public name of a metric gives its column that name",
    of("cost_usd", "1.5"),
    { metrics: ["openrouter_usage", "platform_usage", "openrouter_usage"] },
    [{ openrouter_usage: 1.5, platform_usage: 1.5 }]
  ),
  answers(
    "the largest numbers",
    [
      { prompt_tokens: Number.MAX_SAFE_INTEGER, cost_usd: "9007199" },
      { prompt_tokens: 1, completion_tokens: 0, cost_usd: "0.000000001" }
    ],
    {
      metrics: ["tokens_prompt", "total_usage"],
      dimensions: ["generation_id"],
      filters: { generation_id: "event-0" }
    },
    [{ generation_id: "event-0", tokens_prompt: 9007199254740991, total_usage: 9007199 }]
  ),
  answers(
    "numbers beyond those that JSON holds are text",
    [
      { prompt_tokens: Number.MAX_SAFE_INTEGER, cost_usd: "9007199" },
      { prompt_tokens: 1, cost_usd: "0.000000001" }
    ],
    { metrics: ["tokens_prompt", "total_usage"] },
    [{ tokens_prompt: "9007199254740992", total_usage: "9007199.000000001" }]
  ),
  answers(
    "latency and throughput of what went well",
    [
      { latency_ms: 10, generation_ms: 1000, completion_tokens: 50 },
      { latency_ms: 20, generation_ms: 500, completion_tokens: 50, status: "ok" },
      { latency_ms: 31.5, generation_ms: 0 },
      {},
      { latency_ms: 9999, generation_ms: 1, status: "error" }
    ],
    {
      metrics: [
        "avg_latency",
        "p50_latency",
        "p90_latency",
        "p99_latency",
        "avg_throughput",
        "p50_throughput",
        "p90_throughput"
      ]
    },
    [
      {
        avg_latency: 20.5,
        p50_latency: 20,
        p90_latency: 31.5,
        p99_latency: 31.5,
        avg_throughput: 75,
        p50_throughput: 50,
        p90_throughput: 100
      }
    ]
  ),
  answers(
    "percentiles by nearest rank",
    of("latency_ms", ...Array.from({ length: 100 }, (_, index) => 100 - index)),
    { metrics: ["p50_latency", "p90_latency", "p99_latency"] },
    [{ p50_latency: 50, p90_latency: 90, p99_latency: 99 }]
  )
]
