import { AnalyticsQuery } from "@gatewarden/contract/internal"
import { assert, describe, it } from "@effect/vitest"
import { planQuery } from "../../../core/src/usage/analytics/planQuery.ts"

const now = Date.parse("2026-03-04T12:00:00.000Z")
const planned = (query: object) => planQuery(AnalyticsQuery.parse({ metrics: ["request_count"], ...query }), now)
const planOf = (query: object) => {
  const answer = planned(query)
  if (!answer.ok) throw new Error(JSON.stringify(answer))
  return answer.plan
}
const month = { start: "2026-03-01T00:00:00Z", end: "2026-04-01T00:00:00Z" }

describe("planQuery", () => {
  it("looks at the last seven days and at what was just recorded", () => {
    assert.deepInclude(planOf({}), {
      start: now - 7 * 86_400_000,
      end: now + 300_000,
      granularity: null,
      limit: 1000,
      group_limit: null
    })
  })

  it("raises the limit of a time series with dimensions or tags only, and never an explicit one", () => {
    const series = { granularity: "day", dimensions: ["model"] }
    assert.strictEqual(planOf(series).limit, 10_000)
    assert.strictEqual(planOf({ granularity: "day", classifier_dimensions: { classifier_id: "topic" } }).limit, 10_000)
    assert.strictEqual(planOf({ ...series, limit: 5 }).limit, 5)
    assert.strictEqual(planOf({ granularity: "day" }).limit, 1000)
    assert.strictEqual(planOf({ dimensions: ["model"] }).limit, 1000)
  })

  it("keeps a group limit only where it could cut", () => {
    const series = { granularity: "day", dimensions: ["model"], time_range: month }
    assert.strictEqual(planOf({ ...series, group_limit: 30 }).group_limit, 30)
    assert.isNull(planOf({ ...series, group_limit: 31 }).group_limit)
    assert.isNull(planOf({ ...series, dimensions: [], group_limit: 1 }).group_limit)
    assert.isNull(planOf({ dimensions: ["model"], group_limit: 1 }).group_limit)
  })

  it("measures a metric once, under whatever names it is shown, filtered on and ordered by", () => {
    const plan = planOf({
      metrics: ["openrouter_usage", "platform_usage", "request_count"],
      filters: [{ field: "platform_usage", operator: "gt", value: "0.5" }],
      order_by: { field: "openrouter_usage", direction: "asc" }
    })
    assert.deepEqual(plan.measures, ["platform_usage", "request_count"])
    assert.deepEqual(plan.columns, [
      { column: "openrouter_usage", measure: 0 },
      { column: "platform_usage", measure: 0 },
      { column: "request_count", measure: 1 }
    ])
    assert.deepEqual(plan.having, [
      { measure: 0, operator: "gt", values: [{ exact: { digits: 500_000_000n, scale: 0 }, number: 0.5 }] }
    ])
    assert.deepEqual(plan.order[0], { by: { kind: "measure", index: 0 }, descending: false })
  })

  it("writes out no number that is far from every sum", () => {
    const [filter] = planOf({
      filters: [{ field: "request_count", operator: "in", value: ["1e+999", "1e-999"] }]
    }).having
    assert.deepEqual(
      filter?.values.map(({ exact }) => exact),
      [
        { digits: 10n ** 130n, scale: 0 },
        { digits: 1n, scale: 130 }
      ]
    )
  })

  it("orders totally: what was asked for, then latest first, the first metric, the keys", () => {
    const plan = planOf({
      granularity: "day",
      dimensions: ["model", "app"],
      order_by: { field: "app", direction: "desc" }
    })
    assert.deepEqual(plan.order, [
      { by: { kind: "key", index: 1 }, descending: true },
      { by: { kind: "time" }, descending: true },
      { by: { kind: "measure", index: 0 }, descending: true },
      { by: { kind: "key", index: 0 }, descending: false },
      { by: { kind: "key", index: 1 }, descending: false }
    ])
  })

  it("unites the names of a classifier's dimensions, each with its own nulls", () => {
    const plan = planOf({
      classifier_dimensions: [
        { classifier_id: "topic", dimension_names: ["area"] },
        { classifier_id: "topic", dimension_names: ["area", "tone"], include_nulls: true }
      ]
    })
    assert.deepEqual(
      plan.keys.map((key) => [key.column, key.kind === "tag" && key.include_nulls]),
      [
        ["area", true],
        ["tone", true]
      ]
    )
  })

  it("names every broken rule, and the reason of the first", () => {
    const refused = planned({
      time_range: { start: month.end, end: month.start },
      filters: [{ field: "mood", operator: "eq", value: "good" }],
      order_by: { field: "date", direction: "asc" }
    })
    assert.isFalse(refused.ok)
    if (refused.ok) return
    assert.strictEqual(refused.reason, "invalid_time_range")
    assert.deepEqual(
      refused.issues.map(({ path, code }) => [path, code]),
      [
        ["time_range.end", "invalid_time_range"],
        ["filters.0.field", "unknown_dimension"],
        ["order_by.field", "not_requested"]
      ]
    )
  })

  it("refuses names of classifier dimensions in one place and none in another", () => {
    const refused = planned({
      classifier_dimensions: [{ classifier_id: "topic" }, { classifier_id: "topic", dimension_names: ["area"] }]
    })
    assert.strictEqual(!refused.ok && refused.reason, "filter_combination")
  })

  it("refuses more than two names of classifier dimensions, wherever they stand", () => {
    const naming = (...lists: string[][]) =>
      planned({
        classifier_dimensions: lists.map((dimension_names) => ({ classifier_id: "topic", dimension_names }))
      })
    assert.isTrue(naming(["area", "tone"], ["tone", "area"]).ok)
    const refused = naming(["area", "tone"], ["mood"])
    assert.deepEqual(!refused.ok && refused.issues.map(({ path, code }) => [path, code]), [
      ["classifier_dimensions", "too_big"]
    ])
  })
})
