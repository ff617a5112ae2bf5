import { assert } from "@effect/vitest"
import { type CasesOf, outcomeUnknown, storeGone } from "../http/Case.ts"
import { keyCases } from "./keyCases.ts"

export const deleteKey: CasesOf = {
  operation: "deleteKey",
  cases: [
    {
      name: "refused from then on, and gone from every list",
      status: 200,
      run: async (world) => {
        const params = { id: (await world.call("createGuardrail", { body: { name: "One" } })).json.data.id }
        await world.call("assignKeys", { params, body: { key_hashes: [world.normalKeyHash] } })
        return world.call("deleteKey", { params: { hash: world.normalKeyHash } })
      },
      check: async ({ json }, world) => {
        assert.deepEqual(json, { deleted: true })
        assert.strictEqual((await world.call("getCurrentKey")).status, 401)
        assert.deepEqual((await world.call("listKeys")).json, { data: [] })
        assert.deepEqual((await world.call("listKeyAssignments")).json, { data: [], total_count: 0 })
      }
    },
    ...keyCases("deleteKey"),
    storeGone("ApiKeys", 500, (world) => world.call("deleteKey", { params: { hash: world.normalKeyHash } })),
    outcomeUnknown("ApiKeys", (world) => world.call("deleteKey", { params: { hash: world.normalKeyHash } }))
  ]
}
