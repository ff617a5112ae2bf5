import { assert } from "@effect/vitest"
import { accessCases, type CasesOf, storeGone } from "../http/Case.ts"
import { budgets } from "./getCurrentKey/budgets.ts"
import { newKey, spend, type Spent, toMidMonth } from "./getCurrentKey/spending.ts"

const day = 86_400_000

/** On both sides of every boundary, each amount a digit of its own. */
const aroundBoundaries = (now: number): readonly Spent[] => {
  const today = now - day / 2
  const monday = today - 2 * day
  const first = Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth(), 1)
  return [
    { at: now, cost_usd: "0.000000001", byok_cost_usd: "1" },
    { at: today, cost_usd: "0.00000001", byok_cost_usd: "2" },
    { at: today - 1, cost_usd: "0.0000001", byok_cost_usd: "4" },
    { at: monday, cost_usd: "0.000001", byok_cost_usd: "8" },
    { at: monday - 1, cost_usd: "0.00001", byok_cost_usd: "16" },
    { at: first, cost_usd: "0.0001", byok_cost_usd: "32" },
    { at: first - 1, cost_usd: "0.001", byok_cost_usd: "64" }
  ]
}

export const getCurrentKey: CasesOf = {
  operation: "getCurrentKey",
  cases: [
    {
      name: "a key that nobody has used",
      status: 200,
      run: (world) => world.call("getCurrentKey"),
      check: ({ json: { data } }, world) => {
        assert.isTrue(world.normalKey.startsWith(data.label.split("...")[0]))
        assert.deepEqual(data, {
          label: data.label,
          workspace_id: world.workspace_id,
          organization_id: world.account_id,
          creator_user_id: null,
          is_management_key: false,
          is_provisioning_key: false,
          is_free_tier: false,
          limit: null,
          limit_remaining: null,
          limit_reset: null,
          include_byok_in_limit: false,
          usage: 0,
          usage_daily: 0,
          usage_weekly: 0,
          usage_monthly: 0,
          byok_usage: 0,
          byok_usage_daily: 0,
          byok_usage_weekly: 0,
          byok_usage_monthly: 0,
          budgets: [],
          effective_budget: null,
          allowed_data_regions: ["global", "europe", "us"],
          free_model_daily_requests: { limit: -1, remaining: -1, used: 0 },
          rate_limit: data.rate_limit,
          expires_at: null,
          restrictions: null
        })
        assert.strictEqual(data.rate_limit.requests, -1)
      }
    },
    {
      name: "by its older path",
      status: 200,
      run: async (world) => {
        const older = await world.send("GET", "/auth/key", { key: world.normalKey })
        const answer = await world.call("getCurrentKey")
        assert.strictEqual(older.text, answer.text)
        assert.strictEqual((await world.send("HEAD", "/auth/key", { key: world.normalKey })).status, 200)
        assert.strictEqual((await world.send("GET", "/auth/key", { key: null })).status, 401)
        const wrong = await world.send("POST", "/auth/key", { key: world.normalKey })
        assert.deepEqual([wrong.status, wrong.headers.get("allow")], [405, "GET, HEAD"])
        return answer
      }
    },
    {
      name: "a management key, which lives in no workspace",
      status: 200,
      run: (world) => world.call("getCurrentKey", { key: world.managementKey }),
      check: ({ json }) =>
        assert.deepInclude(json.data, {
          is_management_key: true,
          is_provisioning_key: true,
          workspace_id: null,
          limit: null,
          budgets: [],
          effective_budget: null,
          allowed_data_regions: ["global", "europe", "us"]
        })
    },
    {
      name: "what was spent today, since Monday, since the first, and before",
      status: 200,
      run: async (world) => {
        const now = toMidMonth(world)
        const { key, data } = await newKey(world, {})
        await spend(world, data.hash, aroundBoundaries(now))
        // Neither another key nor another account counts.
        await spend(world, world.normalKeyHash, [{ at: now, cost_usd: "7", byok_cost_usd: "7" }])
        await spend(await world.other(), data.hash, [{ at: now, cost_usd: "7", byok_cost_usd: "7" }])
        return world.call("getCurrentKey", { key })
      },
      check: ({ json }) =>
        assert.deepInclude(json.data, {
          usage: 0.001111111,
          usage_monthly: 0.000111111,
          usage_weekly: 0.000001111,
          usage_daily: 0.000000011,
          byok_usage: 127,
          byok_usage_monthly: 63,
          byok_usage_weekly: 15,
          byok_usage_daily: 3
        })
    },
    {
      name: "what the limit leaves: of the current window, with BYOK where it counts, never below 0",
      status: 200,
      run: async (world) => {
        const now = toMidMonth(world)
        const remaining = async (fields: object): Promise<number> => {
          const { key, data } = await newKey(world, fields)
          await spend(world, data.hash, aroundBoundaries(now))
          return (await world.call("getCurrentKey", { key })).json.data.limit_remaining
        }
        assert.strictEqual(await remaining({ limit: 1 }), 0.998888889)
        assert.strictEqual(await remaining({ limit: 1, limit_reset: "monthly" }), 0.999888889)
        assert.strictEqual(await remaining({ limit: 1, limit_reset: "weekly" }), 0.999998889)
        assert.strictEqual(await remaining({ limit: 1, limit_reset: "daily" }), 0.999999989)
        const withByok = { include_byok_in_limit: true }
        assert.strictEqual(await remaining({ limit: 4, limit_reset: "daily", ...withByok }), 0.999999989)
        assert.strictEqual(await remaining({ limit: 3.000000011, limit_reset: "daily", ...withByok }), 0)
        assert.strictEqual(await remaining({ limit: 3, limit_reset: "daily", ...withByok }), 0)
        assert.strictEqual(await remaining({ limit: 0 }), 0)
        return world.call("getCurrentKey")
      }
    },
    {
      name: "a new window begins: the day is over",
      status: 200,
      run: async (world) => {
        const now = toMidMonth(world)
        const { key, data } = await newKey(world, { limit: 1, limit_reset: "daily" })
        await spend(world, data.hash, [{ at: now, cost_usd: "1.5", byok_cost_usd: "0" }])
        assert.strictEqual((await world.call("getCurrentKey", { key })).json.data.limit_remaining, 0)
        world.installation.clock.now += day / 2
        return world.call("getCurrentKey", { key })
      },
      check: ({ json }) => assert.deepInclude(json.data, { limit_remaining: 1, usage_daily: 0, usage: 1.5 })
    },
    {
      name: "a host's own key that was used before it was made known",
      status: 200,
      run: async (world) => {
        const api_key = `host-issued-key-${world.account_id}`
        const hash = Array.from(
          new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(api_key))),
          (byte) => byte.toString(16).padStart(2, "0")
        ).join("")
        await spend(world, hash, [{ at: world.installation.clock.now, cost_usd: "0.25", byok_cost_usd: "0" }])
        const made = await newKey(world, { limit: 1, external: { user: "customer-1", api_key } })
        assert.deepInclude(made.data, { hash, usage: 0.25, limit_remaining: 0.75 })
        return world.call("getCurrentKey", { key: api_key })
      },
      check: ({ json }) => assert.deepInclude(json.data, { usage: 0.25, usage_daily: 0.25, limit_remaining: 0.75 })
    },
    {
      name: "the regions that the workspace's default guardrail leaves open",
      status: 200,
      run: async (world) => {
        const restrict = (fields: object) =>
          world.call("updateGuardrail", { params: { id: world.default_guardrail_id }, body: fields })
        await restrict({ description: "open" })
        assert.lengthOf((await world.call("getCurrentKey")).json.data.allowed_data_regions, 3)
        await restrict({ allowed_data_regions: ["us", "europe"] })
        return world.call("getCurrentKey")
      },
      check: ({ json }) => assert.deepEqual(json.data.allowed_data_regions, ["europe", "us"])
    },
    {
      name: "the regions that every guardrail on the key leaves open, or none",
      status: 200,
      run: async (world) => {
        const guardrail = async (allowed_data_regions: readonly string[]) =>
          (await world.call("createGuardrail", { body: { name: "One", allowed_data_regions } })).json.data.id
        const regions = async () => (await world.call("getCurrentKey")).json.data.allowed_data_regions
        const key_hashes = [world.normalKeyHash]
        await world.call("assignKeys", { params: { id: await guardrail(["us", "europe"]) }, body: { key_hashes } })
        assert.deepEqual(await regions(), ["europe", "us"])
        const member = await guardrail(["us", "global"])
        await world.call("assignMembers", { params: { id: member }, body: { member_user_ids: ["user-1"] } })
        assert.deepEqual(await regions(), ["us"])
        const params = { id: world.default_guardrail_id }
        await world.call("updateGuardrail", { params, body: { allowed_data_regions: ["europe"] } })
        return world.call("getCurrentKey")
      },
      check: ({ json }) => assert.deepEqual(json.data.allowed_data_regions, [])
    },
    {
      name: "a guardrail that is assigned to nothing closes no region",
      status: 200,
      run: async (world) => {
        await world.call("createGuardrail", { body: { name: "Idle", allowed_data_regions: ["us"] } })
        return world.call("getCurrentKey")
      },
      check: ({ json }) => assert.lengthOf(json.data.allowed_data_regions, 3)
    },
    {
      name: "a millisecond before the key expires",
      status: 200,
      run: async (world) => {
        const expires_at = new Date(world.installation.clock.now + 5_000).toISOString()
        const { key } = await newKey(world, { expires_at })
        world.installation.clock.now += 4_999
        const answer = await world.call("getCurrentKey", { key })
        assert.strictEqual(answer.json.data.expires_at, expires_at)
        return answer
      }
    },
    {
      name: "the key expires",
      status: 401,
      run: async (world) => {
        const { key } = await newKey(world, {
          expires_at: new Date(world.installation.clock.now + 5_000).toISOString()
        })
        assert.strictEqual((await world.call("getCurrentKey", { key })).status, 200)
        world.installation.clock.now += 5_000
        return world.call("getCurrentKey", { key })
      }
    },
    ...budgets,
    ...accessCases("getCurrentKey", () => ({})),
    storeGone("PolicySources", 500, (world) => world.call("getCurrentKey")),
    storeGone("KeyUsageReader", 500, (world) => world.call("getCurrentKey"))
  ]
}
