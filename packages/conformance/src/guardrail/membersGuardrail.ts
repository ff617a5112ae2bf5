import { assert } from "@effect/vitest"
import { type Case, reasonIs } from "../http/Case.ts"
import type { Call, World } from "../World.ts"

/** A key that is restricted to the guardrail's workspace: as long as a member has the guardrail, it applies in others, too. */
export const membersGuardrailCase = (operation: "updateGuardrail" | "deleteGuardrail", call: Call): Case => ({
  name: "one that is assigned to a member, by a key that is restricted to its workspace",
  status: 403,
  run: async (world: World) => {
    const { id } = (await world.call("createGuardrail", { body: { name: "One", allowed_providers: ["mistral"] } })).json
      .data
    const params = { id }
    const restrictions = { workspace_ids: [world.workspace_id] }
    const { key } = (await world.call("createManagementKey", { body: { name: "k", restrictions } })).json
    const body = { member_user_ids: ["user-1"] }
    await world.call("assignMembers", { params, body })
    const refused = await world.call(operation, { ...call, params, key })
    const { data } = (await world.call("getGuardrail", { params })).json
    assert.deepEqual(data.allowed_providers, ["mistral"])
    await world.call("unassignMembers", { params, body })
    await world.call("assignKeys", { params, body: { key_hashes: [world.normalKeyHash] } })
    assert.strictEqual((await world.call(operation, { ...call, params, key })).status, 200)
    return refused
  },
  check: (answer) => {
    reasonIs("restricted_key")(answer)
    assert.strictEqual(answer.json.error.metadata.issues[0].code, "workspace_ids")
  }
})
