import { assert } from "@effect/vitest"
import { type CasesOf, storeGone } from "../http/Case.ts"
import { keyCases } from "./keyCases.ts"

export const getKey: CasesOf = {
  operation: "getKey",
  cases: [
    {
      name: "as it was created, with what it has spent",
      status: 200,
      run: async (world) => {
        const made = await world.call("createKey", {
          body: { name: "One", limit: 1, limit_reset: "monthly", creator_user_id: "user-7", external: { user: "eve" } }
        })
        const { hash } = made.json.data
        const event = {
          id: "e1",
          created_at: new Date(world.installation.clock.now).toISOString(),
          model: "author/model",
          provider: "openai",
          api_key_hash: hash,
          prompt_tokens: 1,
          completion_tokens: 1,
          cost_usd: "0.000000001"
        }
        await world.call("recordUsageEvents", { body: { events: [event] } })
        const read = await world.call("getKey", { params: { hash } })
        const spent = 0.000000001
        assert.deepEqual(read.json.data, {
          ...made.json.data,
          usage: spent,
          usage_daily: spent,
          usage_weekly: spent,
          usage_monthly: spent,
          limit_remaining: 0.999999999
        })
        return read
      },
      check: ({ json }) => assert.notProperty(json, "key")
    },
    ...keyCases("getKey"),
    storeGone("ApiKeys", 500, (world) => world.call("getKey", { params: { hash: world.normalKeyHash } })),
    storeGone("KeyUsageReader", 500, (world) => world.call("getKey", { params: { hash: world.normalKeyHash } }))
  ]
}
