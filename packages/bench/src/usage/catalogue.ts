/** Questions that people ask of their usage, each over its last days. The first dimensions have sums; the last ones are read from events. */
const dayMillis = 86_400_000

const sums = ["request_count", "tokens_total", "total_usage"]
const percentiles = ["p50_latency", "p90_latency", "p99_throughput"]
const workspace = "5eed0000-0000-4000-8000-000000000002"

export interface NamedQuery {
  readonly name: string
  readonly query: object
}

/** `end`: of the usage, in epoch milliseconds. */
export const catalogue = (end: number): readonly NamedQuery[] => {
  const last = (days: number, more = 0) => ({
    start: new Date(end - days * dayMillis + more).toISOString(),
    end: new Date(end - more).toISOString()
  })
  const of = (name: string, days: number, query: object): NamedQuery => ({
    name: `${name}, ${days} days`,
    query: { metrics: sums, time_range: last(days), ...query }
  })
  return [
    of("totals", 30, {}),
    of("totals", 120, {}),
    of("by day and model, one workspace", 30, {
      dimensions: ["model"],
      granularity: "day",
      filters: [{ field: "workspace", operator: "eq", value: workspace }]
    }),
    of("by day and model, from 07:13 to 16:47", 30, {
      dimensions: ["model"],
      granularity: "day",
      time_range: last(30, 7.2167 * 3_600_000)
    }),
    of("by hour and provider", 7, { dimensions: ["provider"], granularity: "hour" }),
    of("by model and provider", 30, { dimensions: ["model", "provider"] }),
    of("by key", 30, { dimensions: ["api_key_id"] }),
    of("by user", 30, { dimensions: ["user"] }),
    of("by app", 30, { dimensions: ["app"] }),
    of("by status", 30, { dimensions: ["status"] }),
    of("percentiles by day", 30, { metrics: percentiles, granularity: "day" }),
    of("percentiles by model", 30, { metrics: percentiles, dimensions: ["model"] }),
    of("by country", 30, { dimensions: ["country"] }),
    of("by session", 1, { dimensions: ["session_id"], limit: 100 })
  ]
}
