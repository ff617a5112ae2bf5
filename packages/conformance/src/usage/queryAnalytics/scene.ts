/** Events that are recorded, queries that are asked of them, and what they shall answer. */
import { assert } from "@effect/vitest"
import type { World } from "../../World.ts"
import { type Case, refused } from "../../http/Case.ts"

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
export const given = async (world: World, ...events: readonly Fields[]) => {
  const answer = await world.call("recordUsageEvents", {
    body: { events: events.map((fields, index) => ({ id: `event-${index}`, ...base, ...fields })) }
  })
  assert.strictEqual(answer.status, 200, answer.text)
}

export const count = { metrics: ["request_count"] }

/** Of the given events, the query answers exactly these rows. */
export const answers = (
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
  check: ({ json: { data } }, world) => {
    assert.deepEqual(data.data, rows)
    assert.deepEqual(data.data.map(Object.keys), rows.map(Object.keys))
    assert.strictEqual(data.metadata.row_count, rows.length)
    assert.strictEqual(data.metadata.truncated, truncated)
    assert.isTrue(Number.isInteger(data.metadata.query_time_ms))
    // Who names no range is told which one was used.
    const { time_range: used } = data.metadata
    assert.strictEqual(used === undefined, query["time_range"] != null)
    if (used === undefined) return
    const { now } = world.installation.clock
    assert.strictEqual(Date.parse(used.start), now - 7 * 86_400_000)
    assert.isAtLeast(Date.parse(used.end), now)
  }
})

export const bad = (name: string, query: Fields, path: string, reason = "invalid_request"): Case =>
  refused("queryAnalytics", name, { body: { ...count, ...query } }, { path, reason })

export const on = (...days: readonly string[]) => days.map((day) => ({ created_at: `2026-03-${day}T08:30:00Z` }))
export const of = (field: string, ...values: readonly unknown[]) => values.map((value) => ({ [field]: value }))
export const march = { start: "2026-03-01T00:00:00Z", end: "2026-04-01T00:00:00Z" }
export const filter = (field: string, operator: string, value: unknown, include_unset?: boolean) => ({
  filters: [{ field, operator, value, ...(include_unset === undefined ? {} : { include_unset }) }]
})
export const tagged = (...tags: readonly (Fields | undefined)[]) =>
  tags.map((topic) => (topic === undefined ? {} : { classifiers: { topic } }))
export const topic = (...dimension_names: readonly string[]) => ({
  classifier_dimensions: { classifier_id: "topic", ...(dimension_names.length === 0 ? {} : { dimension_names }) }
})
export const byTopic = (...filters: readonly Fields[]) => ({ classifier_filters: { classifier_id: "topic", filters } })
export const oneDay = { granularity: "day", time_range: march }

/** Models m00, m01, …, each with its number of requests on as many days. */
export const series = (models: number, days: number) =>
  Array.from({ length: models * days }, (_, index) => ({
    id: `event-${index}`,
    model: `m${String(index % models).padStart(2, "0")}`,
    created_at: new Date(Date.UTC(2026, 1, 1) - Math.floor(index / models) * 86_400_000).toISOString()
  }))
export const allTime = { start: "2020-01-01T00:00:00Z", end: "2026-04-01T00:00:00Z" }
