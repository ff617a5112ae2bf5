/** Events that are recorded, and the days, models and endpoints that their activity is shown under. */
import { assert } from "@effect/vitest"
import { analyticsTimeoutMillis } from "./analyticsTimeoutMillis.ts"
import { skipSleep } from "../HandClock.ts"
import { type Case, type CasesOf, managementOnly, reasonIs, refused, storeGone } from "../http/Case.ts"
import type { World } from "../World.ts"
import { given } from "./queryAnalytics/scene.ts"

type Fields = Readonly<Record<string, unknown>>
type Query = Readonly<Record<string, string>>

const day = 86_400_000
const dayBefore = (world: World, days: number): string =>
  new Date(world.installation.clock.now - days * day).toISOString().slice(0, 10)

const row = {
  model: "acme/sonnet",
  model_permaslug: "acme/sonnet",
  endpoint_id: "",
  provider_name: "acme",
  usage: 0,
  byok_usage_inference: 0,
  requests: 1,
  prompt_tokens: 100,
  completion_tokens: 20,
  reasoning_tokens: 0
}

/** Of events so many days ago, the activity has exactly these rows. */
const shows = (
  name: string,
  events: readonly (readonly [daysAgo: number, time: string, fields?: Fields])[],
  query: Query | ((world: World) => Query),
  rows: readonly (readonly [daysAgo: number, fields?: Fields | ((world: World) => Fields)])[]
): Case => ({
  name,
  status: 200,
  run: async (world) => {
    await given(
      world,
      ...events.map(([days, time, fields]) => ({ created_at: `${dayBefore(world, days)}T${time}Z`, ...fields }))
    )
    return world.call("getUserActivity", { query: typeof query === "function" ? query(world) : query })
  },
  check: ({ json }, world) =>
    assert.deepEqual(
      json.data,
      rows.map(([days, fields]) => ({
        ...row,
        date: dayBefore(world, days),
        ...(typeof fields === "function" ? fields(world) : fields)
      }))
    )
})

const keyHash = "f".repeat(64)
const elsewhere = "7d1f7a52-5c6f-4a0e-8f55-7a6f5f1c9b10"

const bad = (name: string, query: Query, path: string): Case =>
  refused("getUserActivity", name, { query }, { path, reason: "invalid_request" })

/** Events of so many models, yesterday. */
const crowd = async (world: World, models: number) => {
  const created_at = `${dayBefore(world, 1)}T08:00:00Z`
  for (let from = 0; from < models; from += 5_000)
    await given(
      world,
      ...Array.from({ length: Math.min(5_000, models - from) }, (_, at) => ({
        id: `crowd-${from + at}`,
        model: `crowd/m${from + at}`,
        created_at
      }))
    )
}

export const getUserActivity: CasesOf = {
  operation: "getUserActivity",
  cases: [
    shows("nothing was used", [], {}, []),
    shows(
      "the last 30 completed days, the latest first",
      [
        [0, "00:00:00"],
        [1, "23:59:59.999"],
        [1, "00:00:00"],
        [30, "00:00:00"],
        [31, "23:59:59.999"]
      ],
      {},
      [[1, { requests: 2, prompt_tokens: 200, completion_tokens: 40 }], [30]]
    ),
    shows(
      "one day",
      [
        [1, "12:00:00"],
        [2, "00:00:00"],
        [2, "23:59:59.999"],
        [3, "12:00:00"]
      ],
      (world) => ({ date: dayBefore(world, 2) }),
      [[2, { requests: 2, prompt_tokens: 200, completion_tokens: 40 }]]
    ),
    shows(
      "sums of credits, BYOK and tokens, of requests that failed too",
      [
        [1, "10:00:00", { cost_usd: "0.000000001", byok: true, byok_cost_usd: "0.25", reasoning_tokens: 7 }],
        [1, "11:00:00", { cost_usd: "0.1", status: "error", completion_tokens: 0 }]
      ],
      {},
      [
        [
          1,
          {
            usage: 0.100000001,
            byok_usage_inference: 0.25,
            requests: 2,
            prompt_tokens: 200,
            completion_tokens: 20,
            reasoning_tokens: 7
          }
        ]
      ]
    ),
    shows(
      "by model, variant, endpoint and provider, the highest usage first",
      [
        [1, "10:00:00", { cost_usd: "1" }],
        [1, "10:00:00", { cost_usd: "4", model: "acme/sonnet:free" }],
        [1, "10:00:00", { cost_usd: "3", endpoint_tag: "acme/fp8" }],
        [1, "10:00:00", { cost_usd: "2", provider: "other", endpoint_tag: "acme/fp8" }]
      ],
      {},
      [
        [1, { usage: 4, model_permaslug: "acme/sonnet:free" }],
        [1, { usage: 3, endpoint_id: "acme/fp8" }],
        [1, { usage: 2, endpoint_id: "acme/fp8", provider_name: "other" }],
        [1, { usage: 1 }]
      ]
    ),
    shows(
      "events of an empty endpoint with those of none, by their common usage",
      [
        [1, "10:00:00", { cost_usd: "2", endpoint_tag: "acme/fp8" }],
        [1, "10:00:00", { cost_usd: "1.5", endpoint_tag: "" }],
        [1, "11:00:00", { cost_usd: "1" }]
      ],
      {},
      [
        [1, { usage: 2.5, requests: 2, prompt_tokens: 200, completion_tokens: 40 }],
        [1, { usage: 2, endpoint_id: "acme/fp8" }]
      ]
    ),
    shows(
      "of one key",
      [
        [1, "10:00:00", { api_key_hash: keyHash }],
        [1, "10:00:00", { api_key_hash: "e".repeat(64) }],
        [1, "10:00:00"]
      ],
      { api_key_hash: keyHash },
      [[1]]
    ),
    shows(
      "of one user",
      [
        [1, "10:00:00", { user_id: "user-1" }],
        [1, "10:00:00", { user_id: "user-10" }],
        [1, "10:00:00"]
      ],
      { user_id: "user-1" },
      [[1]]
    ),
    {
      name: "of one workspace, and by workspace",
      status: 200,
      run: async (world) => {
        const made = await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })
        const { id } = made.json.data
        const created_at = `${dayBefore(world, 1)}T10:00:00Z`
        await given(world, { created_at, cost_usd: "1" }, { created_at, cost_usd: "2", workspace_id: id })
        const of = await world.call("getUserActivity", { query: { workspace_id: String(id).toUpperCase() } })
        assert.deepEqual(of.json.data, [{ ...row, date: dayBefore(world, 1), usage: 2 }])
        const by = await world.call("getUserActivity", { query: { group_by: "workspace" } })
        assert.deepEqual(
          by.json.data.map(({ usage, workspace_id }: { usage: number; workspace_id: string }) => [usage, workspace_id]),
          [
            [2, id],
            [1, world.workspace_id]
          ]
        )
        return world.call("getUserActivity")
      },
      check: ({ json }) => {
        assert.strictEqual(json.data.length, 1)
        assert.strictEqual(json.data[0].usage, 3)
        assert.notProperty(json.data[0], "workspace_id")
      }
    },
    shows("of a workspace that nobody has", [[1, "10:00:00"]], { workspace_id: elsewhere }, []),
    {
      name: "another account's usage is not shown",
      status: 200,
      run: async (world) => {
        const neighbour = await world.other()
        await given(neighbour, { created_at: `${dayBefore(world, 1)}T10:00:00Z` })
        return world.call("getUserActivity")
      },
      check: ({ json }) => assert.deepEqual(json.data, [])
    },
    {
      name: "today is not completed",
      status: 400,
      run: (world) => world.call("getUserActivity", { query: { date: dayBefore(world, 0) } }),
      check: reasonIs("invalid_request")
    },
    {
      name: "a day before the last 30",
      status: 400,
      run: (world) => world.call("getUserActivity", { query: { date: dayBefore(world, 31) } }),
      check: ({ json }, world) =>
        assert.include(json.error.metadata.issues[0].message, `${dayBefore(world, 30)} to ${dayBefore(world, 1)}`)
    },
    bad("a day that does not exist", { date: "2026-02-30" }, "query.date"),
    bad("a day with a time", { date: "2026-03-03T00:00:00Z" }, "query.date"),
    bad("a hash in capitals", { api_key_hash: "F".repeat(64) }, "query.api_key_hash"),
    bad("grouped by something else", { group_by: "user" }, "query.group_by"),
    bad("a workspace that is no id", { workspace_id: "default" }, "query.workspace_id"),
    {
      name: "10,000 rows, and one more",
      status: 400,
      run: async (world) => {
        await crowd(world, 10_000)
        const full = await world.call("getUserActivity")
        assert.strictEqual(full.status, 200)
        assert.strictEqual(full.json.data.length, 10_000)
        await given(world, { id: "one more", created_at: `${dayBefore(world, 2)}T08:00:00Z` })
        const oneDay = await world.call("getUserActivity", { query: { date: dayBefore(world, 2) } })
        assert.strictEqual(oneDay.json.data.length, 1)
        return world.call("getUserActivity")
      },
      check: ({ json }) => {
        const [issue] = json.error.metadata.issues
        assert.deepInclude(issue, { path: "query.date", code: "too_big" })
      }
    },
    ...managementOnly("getUserActivity", () => ({})),
    {
      name: "a query that runs too long",
      status: 408,
      run: async (world) => {
        world.installation.faults.stall("AnalyticsReader")
        skipSleep(world.installation.clock, analyticsTimeoutMillis)
        try {
          return await world.call("getUserActivity")
        } finally {
          world.installation.faults.mend()
        }
      },
      check: reasonIs("analytics_timeout")
    },
    storeGone("AnalyticsReader", 500, (world) => world.call("getUserActivity"))
  ]
}
