import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { ask, limitedKey, openMarket, report } from "./admissionWorld.ts"
import { type CasesOf, managementOnly, refused, storeGone } from "../http/Case.ts"

const list = (world: World, query: Record<string, string> = {}) => world.call("listBudgetWarnings", { query })

/** A key that spent most of its dollar, and asked for more than what was left. */
const spend = async (world: World): Promise<string> => {
  const { sonnet: model } = await openMarket(world)
  const request = { model, api_key_hash: await limitedKey(world, 1), max_cost_usd: "0.9" }
  const first = await ask(world, request)
  await world.call("settleAdmission", { params: { id: first.json.data.id }, body: report(world, "0.85") })
  await ask(world, request)
  return request.api_key_hash
}

export const listBudgetWarnings: CasesOf = {
  operation: "listBudgetWarnings",
  cases: [
    {
      name: "none",
      status: 200,
      run: (world) => list(world),
      check: ({ json }) => assert.deepEqual(json, { data: [], total_count: 0 })
    },
    {
      name: "at four fifths, and on denial",
      status: 200,
      run: async (world) => {
        const entity = await spend(world)
        const answer = await list(world)
        assert.deepEqual(
          answer.json.data.map((warning: Record<string, unknown>) => [
            warning["kind"],
            warning["entity"],
            warning["spent_usd"]
          ]),
          [
            ["spent_80", entity, "0.85"],
            ["denied", entity, "0.85"]
          ]
        )
        return list(world, { limit: "1", offset: "1", workspace_id: world.workspace_id })
      },
      check: ({ json }) => {
        assert.strictEqual(json.total_count, 2)
        assert.deepInclude(json.data[0], { kind: "denied", scope: "key_limit", limit_usd: "1", held_usd: "0" })
      }
    },
    {
      name: "with the names that things have now, and none of what is deleted",
      status: 200,
      run: async (world) => {
        const hash = await spend(world)
        const namesOf = async () =>
          (await list(world)).json.data.map((warning: Record<string, unknown>) => [
            warning["workspace_name"],
            warning["entity_name"],
            warning["guardrail_name"]
          ])
        assert.deepEqual(await namesOf(), Array(2).fill(["Default", "limited", null]))
        await world.call("updateKey", { params: { hash }, body: { name: "renamed" } })
        await world.call("updateWorkspace", { params: { id: world.workspace_id }, body: { name: "Home" } })
        assert.deepEqual(await namesOf(), Array(2).fill(["Home", "renamed", null]))
        await world.call("deleteKey", { params: { hash } })
        assert.deepEqual(await namesOf(), Array(2).fill(["Home", null, null]))
        return list(world)
      }
    },
    {
      name: "with the name of the guardrail whose limit it is",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        const body = { name: "Strict", limit_usd: 1, reset_interval: "daily" }
        const { json } = await world.call("createGuardrail", { body })
        const api_key_hash = world.normalKeyHash
        await world.call("assignKeys", {
          params: { id: json.data.id },
          body: { key_hashes: [api_key_hash] }
        })
        await ask(world, { model, api_key_hash, max_cost_usd: "2" })
        return list(world)
      },
      check: ({ json }, world) => {
        const { scope, entity, entity_name, guardrail_name } = json.data[0]
        assert.deepEqual([scope, entity, guardrail_name], ["key", world.normalKeyHash, "Strict"])
        assert.isString(entity_name)
      }
    },
    {
      name: "none of another account",
      status: 200,
      run: async (world) => {
        await spend(world)
        return list(await world.other())
      },
      check: ({ json }) => assert.strictEqual(json.total_count, 0)
    },
    refused(
      "listBudgetWarnings",
      "a workspace that is not the account's",
      { query: { workspace_id: "00000000-0000-4000-8000-000000000000" } },
      { path: "query.workspace_id", reason: "unknown_workspace" }
    ),
    refused("listBudgetWarnings", "a limit of 0", { query: { limit: "0" } }, { path: "query.limit" }),
    ...managementOnly("listBudgetWarnings", () => ({})),
    storeGone("BudgetLedger", 500, (world) => list(world))
  ]
}
