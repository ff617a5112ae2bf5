import { assert } from "@effect/vitest"
import { analyticsTimeoutMillis } from "./analyticsTimeoutMillis.ts"
import { skipSleep } from "../HandClock.ts"
import { type Case, type CasesOf, managementOnly, reasonIs, refused, storeGone } from "../http/Case.ts"
import type { World } from "../World.ts"
import { given } from "./queryAnalytics/scene.ts"

type Fields = Readonly<Record<string, unknown>>
type Query = Readonly<Record<string, string>>

const month = { month: "2026-03" }

const none = {
  requests: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cost_usd: "0",
  byok_cost_usd: "0",
  fees_usd: "0"
}
const one = { ...none, requests: 1, prompt_tokens: 100, completion_tokens: 20 }

/** Of the given events, the invoice has these rows. */
const charges = (
  name: string,
  events: readonly Fields[],
  query: Query,
  rows: readonly Fields[] | ((world: World) => readonly Fields[]),
  total: Fields
): Case => ({
  name,
  status: 200,
  run: async (world) => {
    await given(world, ...events)
    return world.call("getInvoice", { query: { ...month, ...query } })
  },
  check: ({ json: { data } }, world) => {
    assert.deepEqual(data.rows, typeof rows === "function" ? rows(world) : rows)
    assert.deepEqual(data.total, total)
  }
})

const bad = (name: string, query: Query, path: string): Case =>
  refused("getInvoice", name, { query }, { path, reason: "invalid_request" })

const keyHash = "f".repeat(64)

/** In nano-dollars. */
const nanos = (usd: string): bigint => {
  const [whole = "", fraction = ""] = usd.split(".")
  return BigInt(whole + fraction.padEnd(9, "0"))
}

const spent: readonly Fields[] = [
  { user_id: "anna", cost_usd: "0.000000001", byok_cost_usd: "7", byok: true, cost_components: { byok_fees: "0.1" } },
  { user_id: "anna", cost_usd: "999999999.999999999", api_key_hash: keyHash },
  { user_id: "bob", cost_usd: "0.1", classifiers: { topic: { team: "red", other: "x" } } },
  { cost_usd: "0.2", classifiers: { topic: { team: "blue" } }, created_at: "2026-03-01T00:00:00.000Z" },
  { cost_usd: "0.3", classifiers: { topic: { other: "red" } } },
  // The months beside.
  { id: "before", user_id: "anna", cost_usd: "5", created_at: "2026-02-28T23:59:59.999Z" }
]

export const getInvoice: CasesOf = {
  operation: "getInvoice",
  cases: [
    charges("nothing was used", [], { by: "key" }, [], none),
    charges(
      "by user: exact, in order, with what names none",
      spent,
      { by: "user" },
      [
        {
          entity: "anna",
          name: null,
          ...one,
          requests: 2,
          prompt_tokens: 200,
          completion_tokens: 40,
          cost_usd: "1000000000",
          byok_cost_usd: "7",
          fees_usd: "0.1"
        },
        { entity: "bob", name: null, ...one, cost_usd: "0.1" },
        { entity: null, name: null, ...one, requests: 2, prompt_tokens: 200, completion_tokens: 40, cost_usd: "0.5" }
      ],
      {
        requests: 5,
        prompt_tokens: 500,
        completion_tokens: 100,
        cost_usd: "1000000000.6",
        byok_cost_usd: "7",
        fees_usd: "0.1"
      }
    ),
    charges(
      "by key",
      [{ api_key_hash: keyHash, cost_usd: "1" }],
      { by: "key" },
      [{ entity: keyHash, name: null, ...one, cost_usd: "1" }],
      { ...one, cost_usd: "1" }
    ),
    charges(
      "by workspace",
      [{}],
      { by: "workspace" },
      ({ workspace_id }) => [{ entity: workspace_id, name: "Default", ...one }],
      one
    ),
    charges(
      "by tag: an event counts once, whatever tags it has",
      spent,
      { by: "tag", classifier: "topic", dimension: "team" },
      [
        { entity: "blue", name: null, ...one, cost_usd: "0.2" },
        { entity: "red", name: null, ...one, cost_usd: "0.1" },
        {
          entity: null,
          name: null,
          ...one,
          requests: 3,
          prompt_tokens: 300,
          completion_tokens: 60,
          cost_usd: "1000000000.3",
          byok_cost_usd: "7",
          fees_usd: "0.1"
        }
      ],
      {
        requests: 5,
        prompt_tokens: 500,
        completion_tokens: 100,
        cost_usd: "1000000000.6",
        byok_cost_usd: "7",
        fees_usd: "0.1"
      }
    ),
    {
      name: "every invoice of a month comes to the sum of its rows, to analytics and to the ledger",
      status: 200,
      run: async (world) => {
        const hash = world.normalKeyHash
        const events = spent.map((event, n) => ({ ...event, cost_usd: `0.00000000${n + 1}`, api_key_hash: hash }))
        await given(world, ...events)
        const invoices = await Promise.all(
          [
            { by: "key" },
            { by: "user" },
            { by: "workspace" },
            { by: "tag", classifier: "topic", dimension: "team" },
            { by: "tag", classifier: "topic", dimension: "none" }
          ].map(async (query) => (await world.call("getInvoice", { query: { ...month, ...query } })).json.data)
        )
        const analytics = await world.call("queryAnalytics", {
          body: {
            metrics: ["credits_usage", "byok_usage", "byok_fees", "request_count"],
            time_range: { start: "2026-03-01T00:00:00Z", end: "2026-04-01T00:00:00Z" }
          }
        })
        const [sums] = analytics.json.data.data
        for (const { rows, total } of invoices) {
          for (const field of ["cost_usd", "byok_cost_usd", "fees_usd"])
            assert.strictEqual(
              rows.reduce((sum: bigint, row: Record<string, string>) => sum + nanos(row[field] ?? ""), 0n),
              nanos(total[field])
            )
          assert.deepEqual(
            [Number(total.cost_usd), Number(total.byok_cost_usd), Number(total.fees_usd), total.requests],
            [sums.credits_usage, sums.byok_usage, sums.byok_fees, sums.request_count]
          )
        }
        const { data } = (await world.call("getKey", { params: { hash } })).json
        assert.strictEqual(data.usage_monthly, Number(invoices[0].total.cost_usd))
        return world.call("getInvoice", { query: { ...month, by: "key" } })
      }
    },
    {
      name: "a month is final when it is over",
      status: 200,
      run: async (world) => {
        const at = world.installation.clock.now
        const isFinal = async (name: string) =>
          (await world.call("getInvoice", { query: { month: name, by: "key" } })).json.data.is_final
        const monthOf = (millis: number) => new Date(millis).toISOString().slice(0, 7)
        assert.isTrue(await isFinal(monthOf(at - 40 * 86_400_000)))
        assert.isFalse(await isFinal(monthOf(at)))
        assert.isFalse(await isFinal("2999-12"))
        return world.call("getInvoice", { query: { month: "1970-01", by: "key" } })
      },
      check: ({ json }) => assert.isTrue(json.data.is_final)
    },
    {
      name: "CSV",
      status: 200,
      run: async (world) => {
        await given(world, { user_id: '=1,"a"', cost_usd: "0.000000001" }, { cost_usd: "1" })
        return world.call("getInvoice", { query: { ...month, by: "user" }, headers: { accept: "text/csv" } })
      },
      check: ({ text, headers }, world) => {
        assert.strictEqual(headers.get("content-type"), "text/csv")
        const over = Date.parse("2026-04-01T00:05:00Z") <= world.installation.clock.now
        assert.deepEqual(text.split("\r\n"), [
          "month,line,entity,requests,prompt_tokens,completion_tokens,cost_usd,byok_cost_usd,fees_usd,is_final,name",
          `2026-03,user,"'=1,""a""",1,100,20,0.000000001,0,0,${over},`,
          `2026-03,user,,1,100,20,1,0,0,${over},`,
          `2026-03,total,,2,200,40,1.000000001,0,0,${over},`,
          ""
        ])
      }
    },
    {
      name: "by key, with the name that the key has now, in CSV too",
      status: 200,
      run: async (world) => {
        const hash = (await world.call("createKey", { body: { name: "=CI" } })).json.data.hash
        await given(world, { api_key_hash: hash }, { api_key_hash: keyHash })
        const query = { ...month, by: "key" }
        const namesOf = async () => {
          const { rows } = (await world.call("getInvoice", { query })).json.data
          return Object.fromEntries(rows.map((row: Record<string, unknown>) => [row["entity"], row["name"]]))
        }
        assert.deepEqual(await namesOf(), { [hash]: "=CI", [keyHash]: null })
        const csv = await world.call("getInvoice", { query: { ...query, format: "csv" } })
        assert.include(csv.text, ",'=CI\r\n")
        await world.call("deleteKey", { params: { hash } })
        assert.deepEqual(await namesOf(), { [hash]: null, [keyHash]: null })
        return csv
      }
    },
    {
      name: "CSV with texts as they were recorded",
      status: 200,
      run: async (world) => {
        await given(world, { user_id: "=1" })
        return world.call("getInvoice", { query: { ...month, by: "user", format: "csv", csv_safe: "false" } })
      },
      check: ({ text }) => assert.include(text, "2026-03,user,=1,1,")
    },
    {
      name: "what the caller has already",
      status: 304,
      run: async (world) => {
        await given(world, {})
        const query = { ...month, by: "key" }
        const etag = (await world.call("getInvoice", { query })).headers.get("etag") ?? ""
        return world.call("getInvoice", { query, headers: { "if-none-match": etag } })
      },
      check: ({ text }) => assert.strictEqual(text, "")
    },
    {
      name: "another account's usage",
      status: 200,
      run: async (world) => {
        await given(world, ...spent)
        const { managementKey } = await world.installation.newWorld()
        return world.call("getInvoice", { query: { ...month, by: "user" }, key: managementKey })
      },
      check: ({ json }) => assert.deepEqual(json.data.rows, [])
    },
    bad("no month", { by: "key" }, "query.month"),
    bad("a day", { month: "2026-03-01", by: "key" }, "query.month"),
    bad("a month that no clock shows", { month: "9999-12", by: "key" }, "query.month"),
    bad("a month that does not exist", { month: "2026-13", by: "key" }, "query.month"),
    bad("nothing to charge by", month, "query.by"),
    bad("an unknown part", { ...month, by: "model" }, "query.by"),
    bad("a tag without a classifier", { ...month, by: "tag", dimension: "team" }, "query.classifier"),
    bad("a tag without a dimension", { ...month, by: "tag", classifier: "topic" }, "query.dimension"),
    bad("a tag beside another part", { ...month, by: "key", classifier: "topic" }, "query.dimension"),
    refused(
      "getInvoice",
      "a classifier that no event has",
      { query: { ...month, by: "tag", classifier: "none", dimension: "team" } },
      { path: "query.classifier", reason: "unknown_classifier" }
    ),
    ...managementOnly("getInvoice", () => ({ query: { ...month, by: "key" } })),
    {
      name: "the analytics take too long",
      status: 408,
      run: async (world) => {
        world.installation.faults.stall("AnalyticsReader")
        skipSleep(world.installation.clock, analyticsTimeoutMillis)
        try {
          return await world.call("getInvoice", { query: { ...month, by: "key" } })
        } finally {
          world.installation.faults.mend()
        }
      },
      check: reasonIs("analytics_timeout")
    },
    storeGone("AnalyticsReader", 500, (world) => world.call("getInvoice", { query: { ...month, by: "key" } }))
  ]
}
