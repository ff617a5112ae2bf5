/** In which order rows come, and which of them when there are too many. */
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import { allTime, answers, count, given, of, on, oneDay, series } from "./scene.ts"

export const order: readonly Case[] = [
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
  answers("a group limit that cuts nothing", on("01", "02"), { ...oneDay, dimensions: ["provider"], group_limit: 2 }, [
    { date__day: "2026-03-02T00:00:00.000Z", provider: "acme", request_count: 1 },
    { date__day: "2026-03-01T00:00:00.000Z", provider: "acme", request_count: 1 }
  ]),
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
  }
]
