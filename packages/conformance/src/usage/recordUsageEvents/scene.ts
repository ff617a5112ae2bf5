/** The event that is recorded, how it is sent, and what shall be seen of it. */
import { assert } from "@effect/vitest"
import type { World } from "../../World.ts"
import { type Case, refused } from "../../http/Case.ts"

export const event = {
  id: "event-1",
  created_at: "2026-03-04T11:00:00Z",
  model: "acme/sonnet",
  provider: "acme",
  prompt_tokens: 100,
  completion_tokens: 20,
  cost_usd: "0.000000001"
}

export const record = (world: World, ...events: readonly object[]) =>
  world.call("recordUsageEvents", { body: { events: events.map((fields) => ({ ...event, ...fields })) } })

export const lines = (world: World, text: string, headers: Record<string, string> = {}) =>
  world.call("recordUsageEvents", { body: text, headers: { "content-type": "application/x-ndjson", ...headers } })

export const line = (fields: object = {}) => `${JSON.stringify({ ...event, ...fields })}\n`

export const counted =
  (accepted: number, duplicates: number): NonNullable<Case["check"]> =>
  ({ json }) =>
    assert.deepEqual(json, { data: { accepted, duplicates } })

/** What analytics shows of the recorded events, by the given dimensions. */
export const shown = async (world: World, metrics: readonly string[], dimensions: readonly string[] = []) =>
  (await world.call("queryAnalytics", { body: { metrics, dimensions } })).json.data.data

export const good = (name: string, fields: Record<string, unknown>): Case => ({
  name,
  status: 200,
  run: (world) => record(world, fields),
  check: counted(1, 0)
})

export const bad = (name: string, fields: Record<string, unknown>, field: string, reason = "invalid_request"): Case =>
  refused(
    "recordUsageEvents",
    name,
    { body: { events: [event, { ...event, id: "event-2", ...fields }] } },
    { path: `events.1.${field}`, reason }
  )

/** Refused, and nothing of the request was recorded. */
export const leavesNothing: NonNullable<Case["check"]> = async (_, world) =>
  assert.deepEqual(await shown(world, ["request_count"]), [{ request_count: 0 }])

export const shows =
  (dimensions: readonly string[], expected: readonly object[]): NonNullable<Case["check"]> =>
  async (_, world) =>
    assert.deepEqual(await shown(world, ["request_count"], dimensions), expected)
