import { assert } from "@effect/vitest"
import { ask, limitedKey, openMarket, report } from "../admission/admissionWorld.ts"
import { type CasesOf, managementOnly, refused, storeGone } from "../http/Case.ts"
import { boundsCases } from "../http/listCases.ts"
import type { Answer, World } from "../World.ts"
import { newChannel } from "./alertCases.ts"

const list = (world: World, query: Record<string, string> = {}) => world.call("listAlerts", { query })

/** A key that spends most of its limit, and asks for more than what is left. */
const spend = async (world: World): Promise<string> => {
  const { sonnet: model } = await openMarket(world)
  const request = { model, api_key_hash: await limitedKey(world, 1), max_cost_usd: "0.9" }
  const first = await ask(world, request)
  await world.call("settleAdmission", { params: { id: first.json.data.id }, body: report(world, "0.85") })
  await ask(world, request)
  await ask(world, request)
  return request.api_key_hash
}

const kindsOf = (json: { readonly data: readonly { readonly type: string }[] }) => json.data.map(({ type }) => type)

export const listAlerts: CasesOf = {
  operation: "listAlerts",
  cases: [
    ...boundsCases("listAlerts", () => ({})),
    {
      name: "a crossing and a denial, once each, with what waits for whom",
      status: 200,
      run: async (world) => {
        const { data: one } = await newChannel(world)
        const { data: two } = await newChannel(world, { events: ["budget.denied"] })
        const entity = await spend(world)
        const answer = await list(world)
        const at = new Date(world.installation.clock.now).toISOString()
        const waiting = (channel_id: string) => ({
          channel_id,
          status: "waiting",
          attempts: 0,
          next_attempt_at: at,
          last_attempt_at: null,
          last_status: null,
          last_message: null
        })
        const ids = [one.id, two.id].sort()
        const alerts = Object.fromEntries(
          answer.json.data.map((alert: { readonly type: string }) => [alert.type, alert])
        )
        assert.sameMembers(Object.keys(alerts), ["budget.spent_80", "budget.denied"])
        assert.strictEqual(answer.json.total_count, 2)
        const data = {
          scope: "key_limit",
          entity,
          guardrail_id: null,
          interval: "lifetime",
          window_start: null,
          limit_usd: "1",
          spent_usd: "0.85"
        }
        const names = { entity_name: "limited", guardrail_name: null }
        assert.deepEqual(alerts["budget.spent_80"], {
          id: alerts["budget.spent_80"].id,
          workspace_id: world.workspace_id,
          workspace_name: "Default",
          type: "budget.spent_80",
          subject: `key_limit:${entity}:lifetime`,
          data: { ...data, held_usd: null, ...names },
          created_at: at,
          deliveries: [waiting(one.id)]
        })
        assert.deepEqual(alerts["budget.denied"].data, { ...data, held_usd: "0", ...names })
        assert.deepEqual(alerts["budget.denied"].deliveries, ids.map(waiting))
        return answer
      }
    },
    {
      name: "none where nobody hears of it",
      status: 200,
      run: async (world) => {
        await newChannel(world, { enabled: false })
        await newChannel(world, { events: ["key.expiring", "budget.spent_95"] })
        await spend(world)
        return list(world)
      },
      check: ({ json }) => assert.deepEqual(json, { data: [], total_count: 0 })
    },
    {
      name: "another limit is crossed again",
      status: 200,
      run: async (world) => {
        await newChannel(world)
        const hash = await spend(world)
        await world.call("updateKey", { params: { hash }, body: { limit: 0.95 } })
        const { sonnet: model } = await openMarket(world)
        await ask(world, { model, api_key_hash: hash, max_cost_usd: "0.9" })
        return list(world)
      },
      check: ({ json }) =>
        assert.sameMembers(kindsOf(json), ["budget.spent_80", "budget.denied", "budget.spent_80", "budget.denied"])
    },
    {
      name: "the oldest first, a page at a time",
      status: 200,
      run: async (world) => {
        await newChannel(world, { events: ["budget.denied"] })
        const hashes = [await spend(world)]
        world.installation.clock.now += 1000
        hashes.push(await spend(world))
        const answer = await list(world)
        const entities = (json: Answer["json"]) =>
          json.data.map((alert: { readonly data: { readonly entity: string } }) => alert.data.entity)
        assert.deepEqual(entities(answer.json), hashes)
        const second = await list(world, { limit: "1", offset: "1" })
        assert.deepEqual(entities(second.json), hashes.slice(1))
        assert.strictEqual(second.json.total_count, 2)
        return answer
      }
    },
    {
      name: "none of another account",
      status: 200,
      run: async (world) => {
        await newChannel(world)
        await spend(world)
        return list(await world.other())
      },
      check: ({ json }) => assert.deepEqual(json, { data: [], total_count: 0 })
    },
    refused(
      "listAlerts",
      "a workspace nobody has",
      { query: { workspace_id: "00000000-0000-4000-8000-000000000000" } },
      { path: "query.workspace_id", reason: "unknown_workspace" }
    ),
    {
      name: "a workspace of another account",
      status: 400,
      run: async (world) => list(world, { workspace_id: (await world.other()).workspace_id })
    },
    ...managementOnly("listAlerts", () => ({})),
    storeGone("Alerts", 500, (world) => list(world))
  ]
}
