import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { type Case, type CasesOf, managementOnly, reasonIs, refused, storeGone } from "./Case.ts"

type Fields = Readonly<Record<string, unknown>>

const base = {
  created_at: "2026-03-04T11:00:00Z",
  model: "acme/sonnet",
  provider: "acme",
  prompt_tokens: 100,
  completion_tokens: 20,
  cost_usd: "0"
}

/** Records events, each the usual one but for the given fields. */
const given = async (world: World, ...events: readonly Fields[]) => {
  const answer = await world.call("recordUsageEvents", {
    body: { events: events.map((fields, index) => ({ id: `event-${index}`, ...base, ...fields })) }
  })
  assert.strictEqual(answer.status, 200, answer.text)
}

const count = { metrics: ["request_count"] }

/** Of the given events, the query answers exactly these rows. */
const answers = (
  name: string,
  events: readonly Fields[],
  query: Fields,
  rows: readonly Fields[],
  truncated = false
): Case => ({
  name,
  status: 200,
  run: async (world) => {
    await given(world, ...events)
    return world.call("queryAnalytics", { body: { ...count, ...query } })
  },
  check: ({ json: { data } }) => {
    assert.deepEqual(data.data, rows)
    assert.deepEqual(data.data.map(Object.keys), rows.map(Object.keys))
    assert.strictEqual(data.metadata.row_count, rows.length)
    assert.strictEqual(data.metadata.truncated, truncated)
    assert.isTrue(Number.isInteger(data.metadata.query_time_ms))
  }
})

const bad = (name: string, query: Fields, path: string, reason = "invalid_request"): Case =>
  refused("queryAnalytics", name, { body: { ...count, ...query } }, { path, reason })

const on = (...days: readonly string[]) => days.map((day) => ({ created_at: `2026-03-${day}T08:30:00Z` }))
const of = (field: string, ...values: readonly unknown[]) => values.map((value) => ({ [field]: value }))
const march = { start: "2026-03-01T00:00:00Z", end: "2026-04-01T00:00:00Z" }
const filter = (field: string, operator: string, value: unknown, include_unset?: boolean) => ({
  filters: [{ field, operator, value, ...(include_unset === undefined ? {} : { include_unset }) }]
})
const tagged = (...tags: readonly (Fields | undefined)[]) =>
  tags.map((topic) => (topic === undefined ? {} : { classifiers: { topic } }))
const topic = (...dimension_names: readonly string[]) => ({
  classifier_dimensions: { classifier_id: "topic", ...(dimension_names.length === 0 ? {} : { dimension_names }) }
})
const byTopic = (...filters: readonly Fields[]) => ({ classifier_filters: { classifier_id: "topic", filters } })
const oneDay = { granularity: "day", time_range: march }

/** Models m00, m01, …, each with its number of requests on as many days. */
const series = (models: number, days: number) =>
  Array.from({ length: models * days }, (_, index) => ({
    id: `event-${index}`,
    model: `m${String(index % models).padStart(2, "0")}`,
    created_at: new Date(Date.UTC(2026, 1, 1) - Math.floor(index / models) * 86_400_000).toISOString()
  }))
const allTime = { start: "2020-01-01T00:00:00Z", end: "2026-04-01T00:00:00Z" }

export const queryAnalytics: CasesOf = {
  operation: "queryAnalytics",
  cases: [
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
          cost_usd: "0.1",
          byok_cost_usd: "0.2",
          byok: true,
          guardrail_invoked: true,
          cost_components: { usage_cache: "0.000000001", byok_fees: 0 }
        },
        { prompt_tokens: 10, cost_usd: 0.2, response_cached: true, cost_components: { usage_cache: "0.000000002" } }
      ],
      {
        metrics: [
          "tokens_total",
          "reasoning_tokens",
          "cached_tokens",
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
    ),
    answers(
      "every dimension of an event, ids as recorded",
      [
        {
          model: "acme/opus:free",
          api_key_hash: "f".repeat(64),
          user_id: "user-1",
          app: "app-1",
          provider: "acme",
          origin: "https://a.example",
          country: "DE",
          finish_reason: "stop",
          external_user: "customer",
          prompt_tokens: 1001
        }
      ],
      {
        dimensions: ["api_key_id", "context_length_bucket"],
        filters: { variant: "free", user: "user-1", origin: "https://a.example" }
      },
      [{ api_key_id: "f".repeat(64), context_length_bucket: "10K", request_count: 1 }]
    ),
    answers(
      "context lengths",
      of("prompt_tokens", 1000, 1001, 100_000, 1_000_000, 1_000_001),
      { dimensions: ["context_length_bucket"] },
      [
        { context_length_bucket: "100K", request_count: 1 },
        { context_length_bucket: "10K", request_count: 1 },
        { context_length_bucket: "10M", request_count: 1 },
        { context_length_bucket: "1K", request_count: 1 },
        { context_length_bucket: "1M", request_count: 1 }
      ]
    ),
    answers(
      "what is missing is null, and last",
      of("user_id", undefined, "b", "\u{1f600}", "\uffee", "B", undefined),
      { dimensions: ["user"] },
      [
        { user: null, request_count: 2 },
        { user: "B", request_count: 1 },
        { user: "b", request_count: 1 },
        { user: "\uffee", request_count: 1 },
        { user: "\u{1f600}", request_count: 1 }
      ]
    ),
    answers(
      "ordered by a dimension, null last either way",
      of("user_id", undefined, "b", "a"),
      { dimensions: ["user"], order_by: { field: "user", direction: "desc" } },
      [
        { user: "b", request_count: 1 },
        { user: "a", request_count: 1 },
        { user: null, request_count: 1 }
      ]
    ),
    answers("a dimension asked for twice", [{}], { dimensions: ["provider", "provider"] }, [
      { provider: "acme", request_count: 1 }
    ]),
    answers(
      "the last seven days, and what was just recorded",
      of("created_at", "2026-02-25T12:00:00Z", "2026-02-25T11:59:59.999Z", "2026-03-04T12:00:00Z"),
      {},
      [{ request_count: 2 }]
    ),
    answers(
      "start inclusive, end exclusive, to the millisecond",
      of(
        "created_at",
        "2026-03-01T00:00:00.000Z",
        "2026-03-01T00:00:00.999Z",
        "2026-03-01T00:00:01Z",
        "2026-02-28T23:59:59.999Z"
      ),
      { time_range: { start: "2026-03-01T00:00:00Z", end: "2026-03-01T00:00:01.000000000Z" } },
      [{ request_count: 2 }]
    ),
    ...(
      [
        ["minute", "2026-03-04T10:59:00.000Z"],
        ["hour", "2026-03-04T10:00:00.000Z"],
        ["day", "2026-03-04T00:00:00.000Z"],
        ["week", "2026-03-02T00:00:00.000Z"],
        ["month", "2026-03-01T00:00:00.000Z"]
      ] as const
    ).map(([granularity, start]) =>
      answers(`by ${granularity}`, of("created_at", "2026-03-04T10:59:59.999Z"), { granularity, time_range: march }, [
        { [`date__${granularity}`]: start, request_count: 1 }
      ])
    ),
    answers(
      "weeks start on Monday",
      of("created_at", "2025-01-01T00:00:00Z"),
      { granularity: "week", time_range: allTime },
      [{ date__week: "2024-12-30T00:00:00.000Z", request_count: 1 }]
    ),
    answers(
      "latest first, then the first metric, then the dimensions",
      [
        { created_at: "2026-03-01T08:00:00Z", provider: "z" },
        { created_at: "2026-03-02T08:00:00Z", provider: "b" },
        { created_at: "2026-03-02T08:00:00Z", provider: "a" },
        { created_at: "2026-03-02T08:00:00Z", provider: "c" },
        { created_at: "2026-03-02T09:00:00Z", provider: "c" }
      ],
      { ...oneDay, dimensions: ["provider"] },
      [
        { date__day: "2026-03-02T00:00:00.000Z", provider: "c", request_count: 2 },
        { date__day: "2026-03-02T00:00:00.000Z", provider: "a", request_count: 1 },
        { date__day: "2026-03-02T00:00:00.000Z", provider: "b", request_count: 1 },
        { date__day: "2026-03-01T00:00:00.000Z", provider: "z", request_count: 1 }
      ]
    ),
    answers("ordered by date", on("01", "03", "02"), { ...oneDay, order_by: { field: "date", direction: "asc" } }, [
      { date__day: "2026-03-01T00:00:00.000Z", request_count: 1 },
      { date__day: "2026-03-02T00:00:00.000Z", request_count: 1 },
      { date__day: "2026-03-03T00:00:00.000Z", request_count: 1 }
    ]),
    answers(
      "ordered by request_count, which is not shown",
      of("provider", "a", "b", "b"),
      { metrics: ["tokens_prompt"], dimensions: ["provider"], order_by: { field: "request_count", direction: "asc" } },
      [
        { provider: "a", tokens_prompt: 100 },
        { provider: "b", tokens_prompt: 200 }
      ]
    ),
    answers(
      "ordered by what some rows have not measured",
      [{ provider: "a" }, { provider: "b", latency_ms: 2 }, { provider: "c", latency_ms: 1 }],
      { metrics: ["avg_latency"], dimensions: ["provider"], order_by: { field: "avg_latency", direction: "asc" } },
      [
        { provider: "c", avg_latency: 1 },
        { provider: "b", avg_latency: 2 },
        { provider: "a", avg_latency: null }
      ]
    ),
    answers(
      "a limit that cuts",
      of("provider", "a", "b", "c"),
      { dimensions: ["provider"], limit: 2 },
      [
        { provider: "a", request_count: 1 },
        { provider: "b", request_count: 1 }
      ],
      true
    ),
    answers("a limit that is just enough", of("provider", "a", "b"), { dimensions: ["provider"], limit: 2 }, [
      { provider: "a", request_count: 1 },
      { provider: "b", request_count: 1 }
    ]),
    answers(
      "a group limit keeps the first rows of each combination",
      [...on("01", "02", "03"), { created_at: "2026-03-01T00:00:00Z", provider: "other" }],
      { ...oneDay, dimensions: ["provider"], group_limit: 2 },
      [
        { date__day: "2026-03-03T00:00:00.000Z", provider: "acme", request_count: 1 },
        { date__day: "2026-03-02T00:00:00.000Z", provider: "acme", request_count: 1 },
        { date__day: "2026-03-01T00:00:00.000Z", provider: "other", request_count: 1 }
      ],
      true
    ),
    answers(
      "a group limit that cuts nothing",
      on("01", "02"),
      { ...oneDay, dimensions: ["provider"], group_limit: 2 },
      [
        { date__day: "2026-03-02T00:00:00.000Z", provider: "acme", request_count: 1 },
        { date__day: "2026-03-01T00:00:00.000Z", provider: "acme", request_count: 1 }
      ]
    ),
    answers("a group limit without dimensions", on("01", "02"), { ...oneDay, group_limit: 1 }, [
      { date__day: "2026-03-02T00:00:00.000Z", request_count: 1 },
      { date__day: "2026-03-01T00:00:00.000Z", request_count: 1 }
    ]),
    ...(
      [
        ["a time series with dimensions has more rows than the default limit", {}, 1200, false],
        ["an explicit limit is not raised", { limit: 1000 }, 1000, true],
        ["a group limit does not keep the limit from being raised", { group_limit: 90 }, 1080, true]
      ] as const
    ).map(([name, limits, rows, truncated]): Case => ({
      name,
      status: 200,
      run: async (world) => {
        await given(world, ...series(12, 100))
        return world.call("queryAnalytics", {
          body: { ...count, granularity: "day", dimensions: ["model"], time_range: allTime, ...limits }
        })
      },
      check: ({ json: { data } }) => {
        assert.deepEqual([data.data.length, data.metadata.row_count, data.metadata.truncated], [rows, rows, truncated])
      }
    })),
    {
      name: "without a series the default limit is 1,000",
      status: 200,
      run: async (world) => {
        await given(world, ...series(1, 1001))
        return world.call("queryAnalytics", { body: { ...count, dimensions: ["generation_id"], time_range: allTime } })
      },
      check: ({ json: { data } }) =>
        assert.deepEqual(
          [data.data.length, data.metadata.truncated, data.data[999].generation_id],
          [1000, true, "event-998"]
        )
    },
    answers("equality as an object", of("provider", "a", "b"), { filters: { provider: "b", variant: "" } }, [
      { request_count: 1 }
    ]),
    answers("a number as the value of a dimension", of("app", "12", "x"), filter("app", "eq", 12), [
      { request_count: 1 }
    ]),
    answers("neq leaves out what is missing", of("app", "a", "b", undefined), filter("app", "neq", "a"), [
      { request_count: 1 }
    ]),
    answers("not_in leaves out what is missing", of("app", "a", "b", undefined), filter("app", "not_in", ["a"]), [
      { request_count: 1 }
    ]),
    answers("not_in with include_unset", of("app", "a", "b", undefined), filter("app", "not_in", ["a"], true), [
      { request_count: 2 }
    ]),
    answers("in with include_unset", of("app", "a", "b", undefined), filter("app", "in", ["a"], true), [
      { request_count: 2 }
    ]),
    answers("in nothing but what is missing", of("app", "a", undefined), filter("app", "in", [], true), [
      { request_count: 1 }
    ]),
    answers("in nothing", of("app", "a", undefined), filter("app", "in", []), [{ request_count: 0 }]),
    answers("not in nothing", of("app", "a", undefined), filter("app", "not_in", []), [{ request_count: 1 }]),
    answers("gt by code point", of("app", "a", "B", "\u{1f600}"), filter("app", "gt", "a"), [{ request_count: 1 }]),
    answers("lte by code point", of("app", "a", "B", "\u{1f600}", undefined), filter("app", "lte", "a"), [
      { request_count: 2 }
    ]),
    {
      name: "a workspace in capitals",
      status: 200,
      run: async (world) => {
        await given(world, {})
        return world.call("queryAnalytics", {
          body: { ...count, filters: { workspace: world.workspace_id.toUpperCase() } }
        })
      },
      check: ({ json }) => assert.deepEqual(json.data.data, [{ request_count: 1 }])
    },
    answers(
      "filters on metrics choose rows",
      of("provider", "a", "b", "b", "c", "c", "c"),
      {
        dimensions: ["provider"],
        filters: [
          { field: "request_count", operator: "gte", value: 2 },
          { field: "request_count", operator: "lt", value: "3" }
        ]
      },
      [{ provider: "b", request_count: 2 }]
    ),
    answers(
      "a metric that is filtered on need not be shown, and is compared exactly",
      [
        { provider: "a", cost_usd: "9007199.000000001" },
        { provider: "b", cost_usd: "9007199" }
      ],
      { dimensions: ["provider"], ...filter("total_usage", "gt", "9007199") },
      [{ provider: "a", request_count: 1 }]
    ),
    answers(
      "what was not measured passes no filter",
      [{ provider: "a" }, { provider: "b", latency_ms: 3 }],
      { dimensions: ["provider"], ...filter("avg_latency", "not_in", [1]) },
      [{ provider: "b", request_count: 1 }]
    ),
    answers("a total that a filter drops", [], filter("request_count", "gt", 0), []),
    answers(
      "by a tag: events without it are left out",
      tagged({ area: "code" }, { area: "prose" }, { area: "code", tone: "kind" }, { tone: "kind" }, undefined),
      topic("area"),
      [
        { area: "code", request_count: 2 },
        { area: "prose", request_count: 1 }
      ]
    ),
    answers(
      "by a tag, with those that have none",
      tagged({ area: "code" }, undefined),
      { classifier_dimensions: [{ classifier_id: "topic", dimension_names: ["area"], include_nulls: true }] },
      [
        { area: "code", request_count: 1 },
        { area: null, request_count: 1 }
      ]
    ),
    answers(
      "by two tags and a dimension",
      tagged({ area: "code", tone: "kind" }, { area: "code" }),
      { dimensions: ["provider"], ...topic("area", "tone") },
      [{ provider: "acme", area: "code", tone: "kind", request_count: 1 }]
    ),
    answers("by every tag", tagged({ area: "code", tone: "kind" }, { area: "code" }, undefined), topic(), [
      { clf_dimension_name: "area", clf_dimension_value: "code", request_count: 2 },
      { clf_dimension_name: "tone", clf_dimension_value: "kind", request_count: 1 }
    ]),
    answers(
      "by every tag, with those that have none",
      tagged({ area: "code" }, {}, undefined),
      { classifier_dimensions: { classifier_id: "topic", include_nulls: true } },
      [
        { clf_dimension_name: null, clf_dimension_value: null, request_count: 2 },
        { clf_dimension_name: "area", clf_dimension_value: "code", request_count: 1 }
      ]
    ),
    answers("tags are texts", tagged({ sure: true, level: 2 }), topic("sure", "level"), [
      { sure: "true", level: "2", request_count: 1 }
    ]),
    answers(
      "a classifier filter beside standard dimensions",
      tagged({ area: "code" }, { area: "prose" }, undefined),
      { dimensions: ["provider"], ...byTopic({ field: "area", operator: "neq", value: "code" }) },
      [{ provider: "acme", request_count: 1 }]
    ),
    answers(
      "a classifier filter beside a classifier dimension",
      tagged({ area: "code", tone: "kind" }, { area: "code", tone: "rude" }, { area: "prose", tone: "kind" }),
      { ...topic("tone"), ...byTopic({ field: "area", operator: "in", value: ["code"] }) },
      [
        { tone: "kind", request_count: 1 },
        { tone: "rude", request_count: 1 }
      ]
    ),
    answers(
      "a group limit counts combinations of tags",
      [
        { created_at: "2026-03-01T00:00:00Z", classifiers: { topic: { area: "code" } } },
        { created_at: "2026-03-02T00:00:00Z", classifiers: { topic: { area: "code" } } }
      ],
      { ...oneDay, ...topic("area"), group_limit: 1 },
      [{ date__day: "2026-03-02T00:00:00.000Z", area: "code", request_count: 1 }],
      true
    ),
    {
      name: "a classifier that only another account has",
      status: 400,
      run: async (world) => {
        await given(await world.other(), ...tagged({ area: "code" }))
        return world.call("queryAnalytics", { body: { ...count, ...topic() } })
      },
      check: ({ json }) => {
        assert.strictEqual(json.error.metadata.reason, "unknown_classifier")
        assert.strictEqual(json.error.metadata.issues[0].path, "classifier_dimensions")
      }
    },
    bad(
      "a filter of an unknown classifier",
      byTopic({ field: "area", operator: "eq", value: "x" }),
      "classifier_filters",
      "unknown_classifier"
    ),
    bad(
      "two classifiers",
      {
        ...topic(),
        classifier_filters: { classifier_id: "other", filters: [{ field: "a", operator: "eq", value: "b" }] }
      },
      "classifier_dimensions",
      "filter_combination"
    ),
    bad("three classifier dimensions", topic("a", "b", "c"), "classifier_dimensions.dimension_names"),
    bad("a classifier dimension with the name of another column", topic("request_count"), "classifier_dimensions"),
    bad("classifier filters without a filter", byTopic(), "classifier_filters.filters"),
    bad(
      "eleven classifier filters",
      byTopic(...Array(11).fill({ field: "a", operator: "eq", value: "b" })),
      "classifier_filters.filters"
    ),
    bad("gt on a tag", byTopic({ field: "a", operator: "gt", value: "b" }), "classifier_filters.filters.0.operator"),
    bad("no metrics", { metrics: [] }, "metrics"),
    bad("metrics that are no list", { metrics: "request_count" }, "metrics"),
    bad("an unknown metric", { metrics: ["request_count", "happiness"] }, "metrics.1", "unknown_metric"),
    bad("an inherited name as a metric", { metrics: ["constructor"] }, "metrics.0", "unknown_metric"),
    bad("an unknown dimension", { dimensions: ["mood"] }, "dimensions.0", "unknown_dimension"),
    bad("three dimensions", { dimensions: ["model", "app", "user"] }, "dimensions"),
    bad("an unknown granularity", { granularity: "year" }, "granularity"),
    bad("a time range without an end", { time_range: { start: march.start } }, "time_range.end"),
    bad(
      "an empty time range",
      { time_range: { start: march.start, end: march.start } },
      "time_range.end",
      "invalid_time_range"
    ),
    bad(
      "a reversed time range",
      { time_range: { start: march.end, end: march.start } },
      "time_range.end",
      "invalid_time_range"
    ),
    bad(
      "a day as an instant",
      { time_range: { start: "2026-03-01", end: march.end } },
      "time_range.start",
      "invalid_time_range"
    ),
    bad(
      "an impossible day",
      { time_range: { start: "2026-02-29T00:00:00Z", end: march.end } },
      "time_range.start",
      "invalid_time_range"
    ),
    bad("a limit of 0", { limit: 0 }, "limit"),
    bad("a limit of 10,001", { limit: 10_001 }, "limit"),
    bad("half a limit", { limit: 1.5 }, "limit"),
    bad("a group limit of 0", { group_limit: 0 }, "group_limit"),
    bad("a group limit of 10,001", { group_limit: 10_001 }, "group_limit"),
    bad(
      "ordered by a metric that is not asked for",
      { order_by: { field: "tokens_total", direction: "asc" } },
      "order_by.field"
    ),
    bad("ordered by date without granularity", { order_by: { field: "date", direction: "asc" } }, "order_by.field"),
    bad(
      "ordered in a direction that is none",
      { order_by: { field: "request_count", direction: "up" } },
      "order_by.direction"
    ),
    bad("an unknown field", filter("mood", "eq", "good"), "filters.0.field", "unknown_dimension"),
    bad("an unknown field as an object", { filters: { mood: "good" } }, "filters", "unknown_dimension"),
    bad("an unknown operator", filter("model", "like", "a"), "filters.0.operator"),
    bad("a list for eq", filter("model", "eq", ["a"]), "filters.0.value"),
    bad("one value for in", filter("model", "in", "a"), "filters.0.value"),
    bad("a list as an object's value", { filters: { model: ["a"] } }, "filters"),
    bad("no value", filter("model", "eq", undefined), "filters.0.value"),
    bad("null as a value", filter("model", "eq", null), "filters.0.value"),
    bad("a word for a metric", filter("request_count", "gt", "many"), "filters.0.value"),
    bad("include_unset with eq", filter("app", "eq", "a", true), "filters.0.include_unset", "filter_combination"),
    bad(
      "include_unset on a metric",
      filter("request_count", "in", [1], true),
      "filters.0.include_unset",
      "filter_combination"
    ),
    bad("21 filters", { filters: Array(21).fill({ field: "model", operator: "eq", value: "a" }) }, "filters"),
    bad("filters that are text", { filters: "model=a" }, "filters"),
    ...managementOnly("queryAnalytics", () => ({ body: count })),
    {
      name: "a query that runs too long",
      status: 408,
      run: async (world) => {
        world.installation.faults.stall("AnalyticsReader")
        try {
          return await world.call("queryAnalytics", { body: count })
        } finally {
          world.installation.faults.mend()
        }
      },
      check: reasonIs("analytics_timeout")
    },
    storeGone("AnalyticsReader", 500, (world) => world.call("queryAnalytics", { body: count }))
  ]
}
