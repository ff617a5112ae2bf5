import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { type CasesOf, outcomeUnknown, refused, storeGone } from "../http/Case.ts"
import { keyCases } from "./keyCases.ts"

const limited = { limit: 5, limit_reset: "daily", include_byok_in_limit: true }

/** Creates a key, turns the clock by a second, and updates the key. */
const updating = (before: Record<string, unknown>, body: Record<string, unknown>) => async (world: World) => {
  const made = await world.call("createKey", { body: { name: "First", ...before } })
  world.installation.clock.now += 1000
  return world.call("updateKey", { params: { hash: made.json.data.hash }, body })
}

const bad = (name: string, body: Record<string, unknown>, path: string) =>
  refused("updateKey", name, { params: { hash: "0".repeat(64) }, body }, { path })

const update = (world: World, body: object) => world.call("updateKey", { params: { hash: world.normalKeyHash }, body })

export const updateKey: CasesOf = {
  operation: "updateKey",
  cases: [
    {
      name: "as sent; absent stays",
      status: 200,
      run: updating(limited, { name: "Second", limit: 0.000000001, limit_reset: "weekly" }),
      check: async ({ json: { data } }, world) => {
        assert.deepInclude(data, {
          name: "Second",
          limit: 0.000000001,
          limit_remaining: 0.000000001,
          limit_reset: "weekly",
          include_byok_in_limit: true,
          disabled: false,
          updated_at: new Date(world.installation.clock.now).toISOString()
        })
        const read = await world.call("getKey", { params: { hash: data.hash } })
        assert.deepEqual(read.json.data, data)
      }
    },
    {
      name: "null clears the limit and its reset",
      status: 200,
      run: updating(limited, { limit: null, limit_reset: null }),
      check: ({ json }) => assert.deepInclude(json.data, { limit: null, limit_remaining: null, limit_reset: null })
    },
    {
      name: "null for a boolean is the same as absent",
      status: 200,
      run: updating(limited, { disabled: null, include_byok_in_limit: null }),
      check: ({ json }) => assert.deepInclude(json.data, { include_byok_in_limit: true, updated_at: null })
    },
    {
      name: "updated_at stays when nothing changes",
      status: 200,
      run: updating(limited, { ...limited, name: "First", disabled: false }),
      check: ({ json }) => assert.isNull(json.data.updated_at)
    },
    {
      name: "an empty body changes nothing, and what is not for the caller to set is ignored",
      status: 200,
      run: updating(limited, { hash: "0".repeat(64), usage: 7, expires_at: "2026-01-01T00:00:00Z" }),
      check: ({ json }) => assert.deepInclude(json.data, { usage: 0, expires_at: null, updated_at: null })
    },
    {
      name: "disabled: refused from then on, and let in again",
      status: 200,
      run: async (world) => {
        const answer = await update(world, { disabled: true })
        assert.isTrue(answer.json.data.disabled)
        assert.strictEqual((await world.call("getCurrentKey")).status, 401)
        await update(world, { disabled: false })
        assert.strictEqual((await world.call("getCurrentKey")).status, 200)
        return answer
      }
    },
    {
      name: "a limit below what was spent leaves nothing",
      status: 200,
      run: async (world) => {
        const event = {
          id: "e1",
          created_at: new Date(world.installation.clock.now).toISOString(),
          model: "author/model",
          provider: "openai",
          api_key_hash: world.normalKeyHash,
          prompt_tokens: 1,
          completion_tokens: 1,
          cost_usd: "2.5"
        }
        await world.call("recordUsageEvents", { body: { events: [event] } })
        return update(world, { limit: 2 })
      },
      check: ({ json }) => assert.deepInclude(json.data, { limit: 2, limit_remaining: 0, usage: 2.5 })
    },
    bad("a null name", { name: null }, "name"),
    bad("an empty name", { name: "" }, "name"),
    bad("a negative limit", { limit: -1 }, "limit"),
    bad("a limit with ten decimals", { limit: 0.0000000001 }, "limit"),
    bad("a reset that does not exist", { limit_reset: "hourly" }, "limit_reset"),
    bad("a flag that is no boolean", { disabled: "true" }, "disabled"),
    ...keyCases("updateKey", { body: { name: "Mine now" } }),
    storeGone("ApiKeys", 500, (world) => update(world, { disabled: true })),
    storeGone("KeyUsageReader", 500, (world) => update(world, { disabled: true })),
    outcomeUnknown("ApiKeys", (world) => update(world, { disabled: true }))
  ]
}
