import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { type CasesOf, managementOnly, outcomeUnknown, reasonIs, storeGone } from "../http/Case.ts"
import { beyondReachCases } from "./beyondReach.ts"

const nobody = "00000000-0000-4000-8000-000000000000"

const create = async (world: World): Promise<string> =>
  (await world.call("createGuardrail", { body: { name: "One", allowed_data_regions: ["us"] } })).json.data.id

const remove = (world: World, id: string) => world.call("deleteGuardrail", { params: { id } })

export const deleteGuardrail: CasesOf = {
  operation: "deleteGuardrail",
  cases: [
    {
      name: "with its assignments, and no other",
      status: 200,
      run: async (world) => {
        const [id, kept] = [await create(world), await create(world)]
        const another = await world.call("createKey", { body: { name: "another", creator_user_id: "user-2" } })
        const assign = async (guardrail: string, key: string, user: string) => {
          const params = { id: guardrail }
          await world.call("assignKeys", { params, body: { key_hashes: [key] } })
          await world.call("assignMembers", { params, body: { member_user_ids: [user] } })
        }
        await assign(id, world.normalKeyHash, "user-1")
        await assign(kept, another.json.data.hash, "user-2")
        const answer = await remove(world, id)
        assert.deepEqual(answer.json, { deleted: true })
        for (const list of ["listKeyAssignments", "listMemberAssignments"] as const) {
          const { data, total_count } = (await world.call(list)).json
          assert.deepInclude(data[0], { guardrail_id: kept })
          assert.strictEqual(total_count, 1)
        }
        assert.lengthOf((await world.call("getCurrentKey")).json.data.allowed_data_regions, 3)
        assert.strictEqual((await world.call("getGuardrail", { params: { id } })).status, 404)
        assert.strictEqual((await remove(world, id)).status, 404)
        return answer
      }
    },
    {
      name: "a default guardrail that nobody configured",
      status: 400,
      run: (world) => remove(world, world.default_guardrail_id),
      check: reasonIs("default_guardrail_kept")
    },
    {
      name: "a default guardrail that is stored, which stays",
      status: 400,
      run: async (world) => {
        const params = { id: world.default_guardrail_id }
        await world.call("updateGuardrail", { params, body: { description: "kept" } })
        const answer = await remove(world, world.default_guardrail_id)
        assert.strictEqual((await world.call("getGuardrail", { params })).status, 200)
        return answer
      }
    },
    ...beyondReachCases("deleteGuardrail", {}),
    ...managementOnly("deleteGuardrail", () => ({ params: { id: nobody } })),
    { name: "unknown", status: 404, run: (world) => remove(world, nobody) },
    { name: "malformed", status: 404, run: (world) => remove(world, "nope") },
    {
      name: "of another account",
      status: 404,
      run: async (world) => {
        const other = await world.other()
        const id = await create(other)
        const answer = await remove(world, id)
        assert.strictEqual((await other.call("getGuardrail", { params: { id } })).status, 200)
        return answer
      }
    },
    {
      name: "a default guardrail of another account",
      status: 404,
      run: async (world) => remove(world, (await world.other()).default_guardrail_id)
    },
    storeGone("Guardrails", 500, (world) => remove(world, nobody)),
    outcomeUnknown("Guardrails", (world) => remove(world, nobody))
  ]
}
