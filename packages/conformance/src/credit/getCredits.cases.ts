import { grantCredits, parseUsd } from "@gatewarden/core/internal"
import { assert } from "@effect/vitest"
import { type CasesOf, managementOnly, storeGone } from "../http/Case.ts"
import type { World } from "../World.ts"

const read = (world: World) => world.call("getCredits")

/** What the operator does; a revocation begins with a minus. */
const grant = (world: World, usd: string) => {
  const nanos = parseUsd(usd.replace("-", "")) ?? 0n
  return world.installation.run(grantCredits(world.account_id, usd.startsWith("-") ? -nanos : nanos, "a note"))
}

const spend = (world: World, id: string, fields: object) =>
  world.call("recordUsageEvents", {
    body: {
      events: [
        {
          id,
          created_at: new Date(world.installation.clock.now).toISOString(),
          model: "author/model",
          provider: "openai",
          prompt_tokens: 1,
          completion_tokens: 1,
          ...fields
        }
      ]
    }
  })

export const getCredits: CasesOf = {
  operation: "getCredits",
  cases: [
    {
      name: "0 and 0 of an account without grants or usage",
      status: 200,
      run: read,
      check: ({ json }) => assert.deepEqual(json, { data: { total_credits: 0, total_usage: 0 } })
    },
    {
      name: "grants less revocations, exactly",
      status: 200,
      run: async (world) => {
        for (const usd of ["0.1", "0.2", "100", "-0.000000001"]) assert.isObject(await grant(world, usd))
        return read(world)
      },
      check: ({ text }) => assert.strictEqual(text, `{"data":{"total_credits":100.299999999,"total_usage":0}}`)
    },
    {
      name: "a total below 0 or above a billion is refused",
      status: 200,
      run: async (world) => {
        await grant(world, "1")
        assert.strictEqual(await grant(world, "-1.000000001"), "out_of_range")
        assert.strictEqual(await grant(world, "1000000000"), "out_of_range")
        assert.isObject(await grant(world, "-1"))
        return read(world)
      },
      check: ({ json }) => assert.deepEqual(json.data, { total_credits: 0, total_usage: 0 })
    },
    {
      name: "many grants at the same time, one after another",
      status: 200,
      run: async (world) => {
        await Promise.all(Array.from({ length: 8 }, () => grant(world, "0.1")))
        return read(world)
      },
      check: ({ json }) => assert.strictEqual(json.data.total_credits, 0.8)
    },
    {
      name: "all usage, of keys, of deleted keys and of none, of every workspace; not that with own credentials",
      status: 200,
      run: async (world) => {
        const workspace = await world.call("createWorkspace", { body: { name: "Jobs", slug: "jobs" } })
        await spend(world, "e-1", { api_key_hash: world.normalKeyHash, cost_usd: "0.1" })
        await spend(world, "e-2", { cost_usd: "0.2", workspace_id: workspace.json.data.id })
        await spend(world, "e-3", { cost_usd: "0", byok: true, byok_cost_usd: "7" })
        await spend(world, "e-3", { cost_usd: "5" })
        await spend(await world.other(), "e-4", { cost_usd: "11" })
        await world.call("deleteKey", { params: { hash: world.normalKeyHash } })
        return read(world)
      },
      check: ({ text }) => assert.strictEqual(text, `{"data":{"total_credits":0,"total_usage":0.3}}`)
    },
    {
      name: "of no other account, and blocking nothing",
      status: 200,
      run: async (world) => {
        await grant(await world.other(), "5")
        const before = await world.call("getCurrentKey")
        assert.strictEqual(before.status, 200)
        return read(world)
      },
      check: ({ json }) => assert.strictEqual(json.data.total_credits, 0)
    },
    {
      name: "each grant is in the audit log",
      status: 200,
      run: async (world) => {
        await grant(world, "12.5")
        await grant(world, "-2.5")
        return read(world)
      },
      check: async (_, world) => {
        const { data } = (await world.call("getAuditLog", { query: { noun: "credit_grant" } })).json
        assert.deepEqual(
          data.map(({ action, after }: { action: string; after: Record<string, unknown> }) => [
            action,
            after["amount_usd"],
            after["total_usd"],
            after["note"]
          ]),
          [
            ["create", "-2.5", "10", "a note"],
            ["create", "12.5", "12.5", "a note"]
          ]
        )
      }
    },
    ...managementOnly("getCredits", () => ({})),
    storeGone("Credits", 500, read)
  ]
}
