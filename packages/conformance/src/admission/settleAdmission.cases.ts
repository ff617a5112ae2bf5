import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { ask, limitedKey, limitRates, openMarket, report } from "./admissionWorld.ts"
import { type Case, type CasesOf, managementOnly, refused, storeGone } from "../http/Case.ts"
import { gatewaySettlementCases } from "../access/gatewayKeyCases.ts"
import { heldAdmission } from "./renewAdmission.cases.ts"
import { settledCostCases } from "./settledCosts.ts"

const settle = (world: World, id: string, cost_usd: string, fields: object = {}) =>
  world.call("settleAdmission", { params: { id }, body: report(world, cost_usd, { ...fields }) })

const event = {
  created_at: "2026-01-05T09:31:00.000Z",
  model: "acme/sonnet",
  provider: "openai",
  prompt_tokens: 1,
  completion_tokens: 1,
  cost_usd: "0.1"
}
const unknown = { params: { id: "nothing" }, body: { event } }

const usage = async (world: World, metrics: readonly string[]) =>
  (await world.call("queryAnalytics", { body: { metrics } })).json.data.data

/** One answer whether there is none or it is another account's, and it says so. */
const isUnknown: NonNullable<Case["check"]> = ({ json: { error } }) => {
  assert.deepInclude(error, { code: 404, message: "Resource not found" })
  assert.strictEqual(error.metadata.reason, "unknown_admission")
  assert.deepInclude(error.metadata.issues[0], { path: "path.id", code: "unknown_admission" })
  assert.include(error.metadata.issues[0].message, "another account")
}

export const settleAdmission: CasesOf = {
  operation: "settleAdmission",
  cases: [
    ...gatewaySettlementCases,
    {
      name: "charges what it cost",
      status: 200,
      run: async (world) => settle(world, await heldAdmission(world), "0.125"),
      check: async ({ json: { data } }, world) => {
        assert.deepEqual(
          data.charged.map(({ scope, amount_usd, overdraft_usd }: Record<string, string>) => [
            scope,
            amount_usd,
            overdraft_usd
          ]),
          [["key_limit", "0.125", "0"]]
        )
        assert.strictEqual(data.overdraft_usd, "0")
        assert.deepEqual(await usage(world, ["request_count", "credits_usage"]), [
          { request_count: 1, credits_usage: 0.125 }
        ])
      }
    },
    {
      name: "with the tokens that were written to a cache, and durations of three decimals",
      status: 200,
      run: async (world) => {
        const prompt_tokens_details = { cached_tokens: 1, cache_write_tokens: 2 }
        const times = { latency_ms: 12.34567, generation_ms: 0.1 + 0.2 }
        return settle(world, await heldAdmission(world), "0.125", { prompt_tokens_details, ...times })
      },
      check: async (_, world) => {
        const { text } = await world.call("exportUsageEvents")
        assert.deepInclude(JSON.parse(text), {
          cached_tokens: 1,
          cache_write_tokens: 2,
          latency_ms: 12.346,
          generation_ms: 0.3
        })
      }
    },
    {
      name: "under the external user of its key, unless the event names one",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        const api_key_hash = await limitedKey(world, 5, { external: { user: "customer-7" } })
        const admit = async () => (await ask(world, { model, api_key_hash, max_cost_usd: "1" })).json.data.id
        await settle(world, await admit(), "0.25")
        return settle(world, await admit(), "0.5", { external_user: "customer-8" })
      },
      check: async (_, world) => {
        const query = { metrics: ["credits_usage"], dimensions: ["external_user"] }
        assert.sameDeepMembers((await world.call("queryAnalytics", { body: query })).json.data.data, [
          { external_user: "customer-7", credits_usage: 0.25 },
          { external_user: "customer-8", credits_usage: 0.5 }
        ])
      }
    },
    {
      name: "with longer texts of the client than are recorded: they are cut",
      status: 200,
      run: async (world) => {
        const long = "\u{1f600}".repeat(600)
        const texts = {
          external_user: long,
          session_id: long,
          app: long,
          origin: long,
          country: long,
          finish_reason: long
        }
        const chosen = { ...texts, app_categories: [long, "", ...Array(200).fill("a")], trace: "none" }
        return settle(world, await heldAdmission(world), "0.125", chosen)
      },
      check: async ({ json }, world) => {
        assert.deepInclude(json.data.charged[0], { amount_usd: "0.125" })
        const event = JSON.parse((await world.call("exportUsageEvents")).text)
        assert.strictEqual(event.external_user, "\u{1f600}".repeat(512))
        for (const field of ["session_id", "app", "origin", "country", "finish_reason"])
          assert.strictEqual(event[field], "\u{1f600}".repeat(256), field)
      }
    },
    {
      name: "with a trace of 65,536 characters, which is stored, and with a longer one, which is left out",
      status: 200,
      run: async (world) => {
        const traceOf = (length: number) => ({ a: [], b: [1, { c: "" }], d: "x".repeat(length - 32) })
        assert.lengthOf(JSON.stringify(traceOf(65_536)), 65_536)
        await settle(world, await heldAdmission(world), "0.125", { session_id: "as it is", trace: traceOf(65_536) })
        return settle(world, await heldAdmission(world), "0.125", { session_id: "without", trace: traceOf(65_537) })
      },
      check: async ({ json }, world) => {
        assert.deepInclude(json.data.charged[0], { amount_usd: "0.125" })
        const lines = (await world.call("exportUsageEvents")).text.trim().split("\n")
        const sizes = lines.map((line) => JSON.parse(line)).map((one) => [one.session_id, one.trace?.d.length])
        assert.deepEqual(Object.fromEntries(sizes), { "as it is": 65_504, without: undefined })
      }
    },
    {
      name: "with texts that no store keeps",
      status: 200,
      run: async (world) =>
        settle(world, await heldAdmission(world), "0.125", {
          output: "\0 \ud83d",
          trace: { "\0": "\0" },
          session_id: "a\0"
        }),
      check: async (_, world) =>
        assert.deepInclude(JSON.parse((await world.call("exportUsageEvents")).text), { session_id: "a\ufffd" })
    },
    {
      name: "with as long a name of the end user as an admission takes",
      status: 200,
      run: async (world) =>
        settle(world, await heldAdmission(world), "0.125", { external_user: "x".repeat(2_000_000) }),
      check: ({ json }) => assert.deepInclude(json.data.charged[0], { amount_usd: "0.125" })
    },
    {
      name: "after its hold was charged on expiry: the event takes the place of that charge",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        const hash = await limitedKey(world, 1)
        const asked = { model, api_key_hash: hash, max_cost_usd: "0.25", on_expiry: "charge", hold_seconds: 30 }
        const { id } = (await ask(world, asked)).json.data
        const limitOf = async () => {
          const { usage, limit_remaining } = (await world.call("getKey", { params: { hash } })).json.data
          return { usage, limit_remaining }
        }
        assert.deepEqual(await limitOf(), { usage: 0, limit_remaining: 0.75 })
        world.installation.clock.now += 30_000
        assert.deepEqual(await limitOf(), { usage: 0.25, limit_remaining: 0.75 })
        assert.strictEqual((await ask(world, { ...asked, max_cost_usd: "0.8" })).json.data.status, 402)
        assert.deepEqual(await usage(world, ["request_count"]), [{ request_count: 0 }], "no event has the charge")
        const settled = await settle(world, id, "0.125")
        assert.deepEqual(await limitOf(), { usage: 0.125, limit_remaining: 0.875 })
        return settled
      },
      check: async ({ json }, world) => {
        assert.deepInclude(json.data.charged[0], { amount_usd: "0.125", overdraft_usd: "0" })
        assert.deepEqual(await usage(world, ["request_count", "credits_usage"]), [
          { request_count: 1, credits_usage: 0.125 }
        ])
      }
    },
    {
      name: "never, after a hold beyond all recordable amounts: the largest of these was charged on expiry",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        const credential = { provider: "openai", key: "sk-brought-0123456789abcdef" }
        assert.strictEqual((await world.call("createByokCredential", { body: credential })).status, 200)
        const hash = await limitedKey(world, 1)
        const huge = { max_completion_tokens: Number.MAX_SAFE_INTEGER, provider: { only: ["openai"] } }
        const held = await ask(world, { model, api_key_hash: hash, ...huge, on_expiry: "charge", hold_seconds: 30 })
        assert.strictEqual(held.json.data.decision, "allow")
        world.installation.clock.now += 30_000
        return world.call("getKey", { params: { hash } })
      },
      check: ({ json: { data } }) => assert.deepInclude(data, { usage: 0, byok_usage: 1_000_000_000 })
    },
    {
      name: "again: the same answer, and nothing changes",
      status: 200,
      run: async (world) => {
        const id = await heldAdmission(world)
        const first = await settle(world, id, "0.125")
        const second = await settle(world, id, "0.5")
        assert.deepEqual(second.json, first.json)
        return second
      },
      check: async (_, world) => assert.deepEqual(await usage(world, ["credits_usage"]), [{ credits_usage: 0.125 }])
    },
    {
      name: "more than the limit: the part above it is overdraft",
      status: 200,
      run: async (world) => settle(world, await heldAdmission(world), "1.5"),
      check: ({ json: { data } }) => assert.strictEqual(data.overdraft_usd, "0.5")
    },
    {
      name: "what was charged is gone, what was held and not charged is back",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        const request = { model, api_key_hash: await limitedKey(world, 1), max_cost_usd: "0.75" }
        await settle(world, (await ask(world, request)).json.data.id, "0.25")
        assert.strictEqual((await ask(world, { ...request, max_cost_usd: "0.750000001" })).json.data.status, 402)
        return ask(world, request).then(({ json }) => settle(world, json.data.id, "0.75"))
      },
      check: ({ json }) => assert.strictEqual(json.data.overdraft_usd, "0")
    },
    {
      name: "of a request made long ago",
      status: 200,
      run: async (world) =>
        settle(world, await heldAdmission(world), "0.125", { created_at: "0000-02-29T00:00:00.123456789Z" })
    },
    {
      name: "after it expired",
      status: 200,
      run: async (world) => {
        const id = await heldAdmission(world)
        world.installation.clock.now += 3_600_000
        return settle(world, id, "0.125")
      },
      check: ({ json }) => assert.lengthOf(json.data.charged, 1)
    },
    {
      name: "of a key that is gone: its member has spent all the same",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        const guardrail = await world.call("createGuardrail", {
          body: { name: "g", limit_usd: 1, reset_interval: null }
        })
        const creator_user_id = "user-gone"
        const api_key_hash = await limitedKey(world, 5, { creator_user_id })
        const other = await limitedKey(world, 5, { creator_user_id })
        await world.call("assignMembers", {
          params: { id: guardrail.json.data.id },
          body: { member_user_ids: [creator_user_id] }
        })
        const held = await ask(world, { model, api_key_hash, max_cost_usd: "0.75" })
        await world.call("deleteKey", { params: { hash: api_key_hash } })
        const settled = await settle(world, held.json.data.id, "0.75")
        const next = await ask(world, { model, api_key_hash: other, max_cost_usd: "0.25" })
        assert.strictEqual(next.json.data.decision, "allow")
        const denied = await ask(world, { model, api_key_hash: other, max_cost_usd: "0.01" })
        assert.deepInclude(denied.json.data.reasons[0], { scope: "member", field: "limit_usd", value: 1 })
        return settled
      },
      check: ({ json: { data } }) =>
        assert.deepEqual(
          data.charged.map(({ scope, amount_usd }: Record<string, string>) => [scope, amount_usd]),
          [
            ["key_limit", "0.75"],
            ["member", "0.75"]
          ]
        )
    },
    {
      name: "of keys that are gone, alone or with their workspace: under the users whom they acted for",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        const workspace_id = (await world.call("createWorkspace", { body: { name: "gone", slug: "gone" } })).json.data
          .id
        const who = { creator_user_id: "user-gone", external: { user: "customer-gone" } }
        const admitted: string[] = []
        for (const place of [{}, { workspace_id }]) {
          const made = await world.call("createKey", { body: { name: "unlimited", ...who, ...place } })
          const { hash } = made.json.data
          admitted.push((await ask(world, { model, api_key_hash: hash })).json.data.id)
          if (!("workspace_id" in place)) await world.call("deleteKey", { params: { hash } })
        }
        await world.call("deleteWorkspace", { params: { id: workspace_id } })
        const [alone = "", withWorkspace = ""] = admitted
        await settle(world, alone, "0.25")
        return settle(world, withWorkspace, "0.5", { user_id: "somebody" })
      },
      check: async (_, world) => {
        const query = { metrics: ["credits_usage"], dimensions: ["user", "external_user"] }
        assert.deepEqual((await world.call("queryAnalytics", { body: query })).json.data.data, [
          { user: "user-gone", external_user: "customer-gone", credits_usage: 0.75 }
        ])
      }
    },
    {
      name: "of a key with rates: it has ended, and used what it says it used",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        await limitRates(world, { parallel_requests: 1, tokens_per_minute: 100 })
        const first = await ask(world, { model, max_completion_tokens: 60 })
        assert.strictEqual((await ask(world, { model, max_completion_tokens: 1 })).json.data.status, 429)
        const settled = await settle(world, first.json.data.id, "0.125")
        // Of the 60 it used 15.
        const above = await ask(world, { model, max_completion_tokens: 86 })
        assert.deepEqual(above.json.data.reasons, [
          { scope: "rate_limit", guardrail_id: null, field: "tokens_per_minute", value: 100 }
        ])
        assert.strictEqual((await ask(world, { model, max_completion_tokens: 85 })).json.data.decision, "allow")
        return settled
      }
    },
    {
      name: "one that held nothing records its event",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        return settle(world, (await ask(world, { model })).json.data.id, "0.125")
      },
      check: async ({ json }, world) => {
        assert.deepEqual(json.data, { charged: [], overdraft_usd: "0" })
        assert.deepEqual(await usage(world, ["request_count"]), [{ request_count: 1 }])
      }
    },
    {
      name: "an id that another text spells too: nothing is recorded twice",
      status: 404,
      run: async (world) => {
        const id = await heldAdmission(world)
        await settle(world, id, "0.125")
        const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        const spelling = (last: string) => `${id.slice(0, -1)}${last}`
        const others = [...alphabet].map(spelling).filter((other) => other !== id)
        const answers = await Promise.all(others.map((other) => settle(world, other, "0.125")))
        return answers.find(({ status }) => status !== 404) ?? (answers[0] as (typeof answers)[number])
      },
      check: async (_, world) => assert.deepEqual(await usage(world, ["request_count"]), [{ request_count: 1 }])
    },
    ...settledCostCases,
    {
      name: "one nobody granted",
      status: 404,
      run: (world) => world.call("settleAdmission", unknown),
      check: isUnknown
    },
    {
      name: "of another account",
      status: 404,
      run: async (world) => settle(await world.other(), await heldAdmission(world), "0.1"),
      check: isUnknown
    },
    refused("settleAdmission", "no report", { params: { id: "nothing" }, body: {} }, { path: "created_at" }),
    refused(
      "settleAdmission",
      "a report that is wrapped and not whole",
      { params: { id: "nothing" }, body: { event: { ...event, created_at: undefined } } },
      { path: "event.created_at" }
    ),
    {
      name: "a report that is not wrapped",
      status: 200,
      run: async (world) => {
        const id = await heldAdmission(world)
        return world.call("settleAdmission", { params: { id }, body: { ...event, cost_usd: "0.125" } })
      },
      check: ({ json }) => assert.deepInclude(json.data.charged[0], { amount_usd: "0.125", overdraft_usd: "0" })
    },
    refused(
      "settleAdmission",
      "a cost that is none",
      { params: { id: "nothing" }, body: { event: { ...event, cost_usd: "much" } } },
      { path: "event.cost_usd" }
    ),
    ...managementOnly("settleAdmission", () => unknown),
    storeGone("BudgetLedger", 500, async (world) => {
      world.installation.faults.mend()
      const id = await heldAdmission(world)
      world.installation.faults.break("BudgetLedger")
      return settle(world, id, "0.1")
    })
  ]
}
