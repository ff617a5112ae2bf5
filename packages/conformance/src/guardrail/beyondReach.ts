/**
 * A guardrail that applies beyond its workspace: a member has it, or a key of another workspace. A key that is restricted to the workspace
 * does not change it. Rule: access#restricted-keys.
 */
import type { OperationId } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import { type Case, reasonIs } from "../http/Case.ts"
import type { Call, World } from "../World.ts"

type Writing = "updateGuardrail" | "deleteGuardrail"

interface Beyond {
  readonly of: string
  readonly assign: OperationId
  readonly unassign: OperationId
  readonly message: RegExp
  /** The body that names somebody. */
  readonly named: (world: World) => Promise<object>
}

const beyond: readonly Beyond[] = [
  {
    of: "a member",
    assign: "assignMembers",
    unassign: "unassignMembers",
    message: /assigned to members/,
    named: () => Promise.resolve({ member_user_ids: ["user-1"] })
  },
  {
    of: "a key of another workspace",
    assign: "assignKeys",
    unassign: "unassignKeys",
    message: /assigned to keys of other workspaces/,
    named: async (world) => {
      const { id } = (await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })).json.data
      const made = await world.call("createKey", { body: { name: "theirs", workspace_id: id } })
      return { key_hashes: [made.json.data.hash] }
    }
  }
]

export const beyondReachCases = (operation: Writing, call: Call): readonly Case[] =>
  beyond.map(({ of, assign, unassign, message, named }) => ({
    name: `one that is assigned to ${of}, by a key that is restricted to its workspace`,
    status: 403,
    run: async (world: World) => {
      const { id } = (await world.call("createGuardrail", { body: { name: "One", allowed_providers: ["mistral"] } }))
        .json.data
      const params = { id }
      const restrictions = { workspace_ids: [world.workspace_id] }
      const { key } = (await world.call("createManagementKey", { body: { name: "k", restrictions } })).json
      const body = await named(world)
      await world.call("assignKeys", { params, body: { key_hashes: [world.normalKeyHash] } })
      assert.strictEqual((await world.call(assign, { params, body })).status, 200)
      const refused = await world.call(operation, { ...call, params, key })
      const { data } = (await world.call("getGuardrail", { params })).json
      assert.deepEqual(data.allowed_providers, ["mistral"])
      await world.call(unassign, { params, body })
      assert.strictEqual((await world.call(operation, { ...call, params, key })).status, 200)
      return refused
    },
    check: (answer) => {
      reasonIs("restricted_key")(answer)
      assert.deepInclude(answer.json.error.metadata.issues[0], { path: "path.id", code: "workspace_ids" })
      assert.match(answer.json.error.metadata.issues[0].message, message)
    }
  }))
