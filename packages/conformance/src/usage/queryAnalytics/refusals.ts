/** Queries that break a rule. */
import type { Case } from "../../http/Case.ts"
import { bad, filter, march } from "./scene.ts"

export const refusals: readonly Case[] = [
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
  bad(
    "more numbers than a metric is compared with",
    filter(
      "request_count",
      "in",
      Array.from({ length: 1_001 }, (_, index) => index)
    ),
    "filters.0.value"
  ),
  bad("a word for a metric", filter("request_count", "gt", "many"), "filters.0.value"),
  bad("include_unset with eq", filter("app", "eq", "a", true), "filters.0.include_unset", "filter_combination"),
  bad(
    "include_unset on a metric",
    filter("request_count", "in", [1], true),
    "filters.0.include_unset",
    "filter_combination"
  ),
  bad("21 filters", { filters: Array(21).fill({ field: "model", operator: "eq", value: "a" }) }, "filters"),
  bad("filters that are text", { filters: "model=a" }, "filters")
]
