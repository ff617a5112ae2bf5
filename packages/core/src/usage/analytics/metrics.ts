/**
 * How each metric is computed over the events of a cell.
 *
 * One table for every store: memory evaluates it, SQL is written from it. Rule: analytics#metrics.
 */
import type { CostComponent, MetricName } from "@gatewarden/contract/internal"

export type EventFlag = "byok" | "guardrail_invoked" | "response_cached"
export type EventCount =
  | "prompt_tokens"
  | "completion_tokens"
  | "reasoning_tokens"
  | "cached_tokens"
  | "cache_write_tokens"
export type EventAmount = "cost_nanos" | "byok_cost_nanos"
/** Computed over events with status `ok` that have the value. */
export type EventMeasure = "latency_ms" | "throughput"

/** An exact integer over the events of a cell. A cost component is `null` when no event has it, every other total 0. */
export type Total =
  | { readonly count: "events" | EventFlag }
  | { readonly sum: readonly (EventCount | EventAmount)[] }
  | { readonly component: CostComponent }

export type Metric =
  | { readonly unit: "count" | "nanos"; readonly total: Total }
  /** `null` when the whole is 0. */
  | { readonly unit: "number"; readonly part: Total; readonly whole: Total }
  /** The mean, or the percentile by nearest rank; `null` without a measurement. */
  | { readonly unit: "number"; readonly mean: EventMeasure }
  | { readonly unit: "number"; readonly percentile: 50 | 90 | 99; readonly of: EventMeasure }

const count = (total: Total) => ({ unit: "count", total }) as const
const usd = (total: Total) => ({ unit: "nanos", total }) as const
const rate = (part: Total, whole: Total) => ({ unit: "number", part, whole }) as const
const percentile = (rank: 50 | 90 | 99, of: EventMeasure) => ({ unit: "number", percentile: rank, of }) as const

const requests = { count: "events" } as const
const credits = { sum: ["cost_nanos"] } as const

export const metrics: Readonly<Record<MetricName, Metric>> = {
  request_count: count(requests),
  tokens_total: count({ sum: ["prompt_tokens", "completion_tokens"] }),
  tokens_prompt: count({ sum: ["prompt_tokens"] }),
  tokens_completion: count({ sum: ["completion_tokens"] }),
  reasoning_tokens: count({ sum: ["reasoning_tokens"] }),
  cached_tokens: count({ sum: ["cached_tokens"] }),
  cache_write_tokens: count({ sum: ["cache_write_tokens"] }),
  byok_request_count: count({ count: "byok" }),
  guardrail_invoked_count: count({ count: "guardrail_invoked" }),
  response_cached_count: count({ count: "response_cached" }),
  total_usage: usd({ sum: ["cost_nanos", "byok_cost_nanos"] }),
  byok_usage: usd({ sum: ["byok_cost_nanos"] }),
  credits_usage: usd(credits),
  platform_usage: usd(credits),
  byok_fees: usd({ component: "byok_fees" }),
  usage_upstream: usd({ component: "usage_upstream" }),
  usage_cache: usd({ component: "usage_cache" }),
  usage_data: usd({ component: "usage_data" }),
  usage_web: usd({ component: "usage_web" }),
  usage_upstream_web: usd({ component: "usage_upstream_web" }),
  usage_file: usd({ component: "usage_file" }),
  usage_upstream_file: usd({ component: "usage_upstream_file" }),
  usage_web_fetch: usd({ component: "usage_web_fetch" }),
  usage_upstream_web_fetch: usd({ component: "usage_upstream_web_fetch" }),
  avg_latency: { unit: "number", mean: "latency_ms" },
  p50_latency: percentile(50, "latency_ms"),
  p90_latency: percentile(90, "latency_ms"),
  p99_latency: percentile(99, "latency_ms"),
  avg_throughput: { unit: "number", mean: "throughput" },
  p50_throughput: percentile(50, "throughput"),
  p90_throughput: percentile(90, "throughput"),
  p99_throughput: percentile(99, "throughput"),
  cache_hit_rate: rate({ sum: ["cached_tokens"] }, { sum: ["prompt_tokens"] }),
  guardrail_invoked_rate: rate({ count: "guardrail_invoked" }, requests),
  response_cached_rate: rate({ count: "response_cached" }, requests)
}
