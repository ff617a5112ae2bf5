import { assert } from "@effect/vitest"
import { type Case, type CasesOf, managementOnly, reasonIs, storeGone } from "../http/Case.ts"

const confirmed = { confirm_default_workspace_deletion: "true" }

export const deleteWorkspace: CasesOf = {
  operation: "deleteWorkspace",
  cases: [
    {
      name: "an empty workspace, with what lives in it",
      status: 200,
      run: async (world) => {
        const made = await world.call("createWorkspace", { body: { name: "Gone", slug: "gone" } })
        const guardrail = await world.call("createGuardrail", {
          body: { name: "There", workspace_id: made.json.data.id }
        })
        const params = { id: guardrail.json.data.id }
        await world.call("assignKeys", { params, body: { key_hashes: [world.normalKeyHash] } })
        await world.call("assignMembers", { params, body: { member_user_ids: ["user-1"] } })
        await world.call("addWorkspaceMembers", { params: { id: "gone" }, body: { user_ids: ["ann"] } })
        await world.call("putWorkspaceBudget", { params: { id: "gone", interval: "daily" }, body: { limit_usd: 1 } })
        const answer = await world.call("deleteWorkspace", { params: { id: "gone" } })
        for (const list of ["listKeyAssignments", "listMemberAssignments"] as const)
          assert.strictEqual((await world.call(list)).json.total_count, 0)
        await world.call("createWorkspace", { body: { name: "Again", slug: "gone" } })
        for (const list of ["listWorkspaceBudgets", "listWorkspaceMembers"] as const)
          assert.deepEqual((await world.call(list, { params: { id: "gone" } })).json.data, [])
        await world.call("deleteWorkspace", { params: { id: "gone" } })
        const read = await world.call("getGuardrail", { params: { id: guardrail.json.data.id } })
        assert.strictEqual(read.status, 404)
        const destinations = await world.call("listDestinations", { query: { workspace_id: made.json.data.id } })
        assert.strictEqual(destinations.json.error.metadata.reason, "unknown_workspace")
        const again = await world.call("deleteWorkspace", { params: { id: "gone" } })
        assert.strictEqual(again.status, 404)
        return answer
      }
    },
    {
      name: "the default workspace, confirmed: its keys go, and a workspace must be named",
      status: 200,
      run: (world) => world.call("deleteWorkspace", { params: { id: "default" }, query: confirmed }),
      check: async (_, world) => {
        const withoutDefault = await world.call("createGuardrail", { body: { name: "Nowhere" } })
        assert.strictEqual(withoutDefault.status, 400)
        assert.strictEqual(withoutDefault.json.error.metadata.reason, "default_workspace_deleted")
        const named = await world.call("createGuardrail", { body: { name: "There", workspace_id: world.workspace_id } })
        assert.strictEqual(named.json.error.metadata.reason, "unknown_workspace")
        const orphan = await world.send("GET", "/workspaces/default", { key: world.normalKey })
        assert.strictEqual(orphan.status, 401)
      }
    },
    {
      name: "with keys that are disabled or expired, which go with it",
      status: 200,
      run: async (world) => {
        const { id } = (await world.call("createWorkspace", { body: { name: "Gone", slug: "gone" } })).json.data
        const key = async (fields: object) =>
          (await world.call("createKey", { body: { name: "ended", workspace_id: id, ...fields } })).json.data.hash
        const disabled = await key({})
        await world.call("updateKey", { params: { hash: disabled }, body: { disabled: true } })
        const expired = await key({ expires_at: new Date(world.installation.clock.now + 1000).toISOString() })
        world.installation.clock.now += 1000
        const answer = await world.call("deleteWorkspace", { params: { id } })
        for (const hash of [disabled, expired])
          assert.strictEqual((await world.call("getKey", { params: { hash } })).status, 404)
        return answer
      }
    },
    {
      name: "with an active key beside one that is disabled: nothing is deleted",
      status: 400,
      run: async (world) => {
        const { id } = (await world.call("createWorkspace", { body: { name: "Busy", slug: "busy" } })).json.data
        const key = async () =>
          (await world.call("createKey", { body: { name: "key", workspace_id: id } })).json.data.hash
        const hashes = [await key(), await key()]
        await world.call("updateKey", { params: { hash: hashes[0] }, body: { disabled: true } })
        const answer = await world.call("deleteWorkspace", { params: { id }, query: confirmed })
        for (const hash of hashes) assert.strictEqual((await world.call("getKey", { params: { hash } })).status, 200)
        return answer
      },
      check: reasonIs("workspace_not_empty")
    },
    ...Object.entries({ "a member": "assignMembers", "a key of another workspace": "assignKeys" } as const).map(
      ([whose, assign]): Case => ({
        name: `with a guardrail of ${whose}, by a key that may not write guardrails`,
        status: 403,
        run: async (world) => {
          const workspace = (await world.call("createWorkspace", { body: { name: "Rules", slug: "rules" } })).json.data
          const made = await world.call("createGuardrail", { body: { name: "g", workspace_id: workspace.id } })
          const params = { id: made.json.data.id }
          // An assignment to a key of the workspace lifts nothing elsewhere.
          const ended = await world.call("createKey", { body: { name: "ended", workspace_id: workspace.id } })
          const { hash } = ended.json.data
          await world.call("assignKeys", { params, body: { key_hashes: [hash] } })
          await world.call("updateKey", { params: { hash }, body: { disabled: true } })
          const body = assign === "assignKeys" ? { key_hashes: [world.normalKeyHash] } : { member_user_ids: ["user-1"] }
          assert.strictEqual((await world.call(assign, { params, body })).status, 200)
          const remove = async (resources: readonly string[]) => {
            const restrictions = { resources }
            const { key } = (await world.call("createManagementKey", { body: { name: "k", restrictions } })).json
            return world.call("deleteWorkspace", { key, params: { id: workspace.id } })
          }
          const answer = await remove(["workspaces"])
          assert.strictEqual((await world.call("getGuardrail", { params })).status, 200)
          await world.call(assign === "assignKeys" ? "unassignKeys" : "unassignMembers", { params, body })
          assert.strictEqual((await remove(["workspaces"])).status, 200)
          return answer
        },
        check: (answer) => {
          reasonIs("restricted_key")(answer)
          assert.deepInclude(answer.json.error.metadata.issues[0], { path: "path.id", code: "resources" })
        }
      })
    ),
    {
      name: "with a guardrail of a member, by a key for workspaces and guardrails",
      status: 200,
      run: async (world) => {
        const { id } = (await world.call("createWorkspace", { body: { name: "Rules", slug: "rules" } })).json.data
        const made = await world.call("createGuardrail", { body: { name: "g", workspace_id: id } })
        const params = { id: made.json.data.id }
        await world.call("assignMembers", { params, body: { member_user_ids: ["user-1"] } })
        const restrictions = { resources: ["workspaces", "guardrails"] }
        const { key } = (await world.call("createManagementKey", { body: { name: "k", restrictions } })).json
        return world.call("deleteWorkspace", { key, params: { id } })
      }
    },
    ...managementOnly("deleteWorkspace", () => ({ params: { id: "default" } })),
    {
      name: "the default workspace, unconfirmed",
      status: 400,
      run: (world) => world.call("deleteWorkspace", { params: { id: "default" } }),
      check: reasonIs("confirmation_required")
    },
    {
      name: "a confirmation that is no boolean",
      status: 400,
      run: (world) =>
        world.call("deleteWorkspace", { params: { id: "default" }, query: { confirm_default_workspace_deletion: "1" } })
    },
    { name: "unknown", status: 404, run: (world) => world.call("deleteWorkspace", { params: { id: "nowhere" } }) },
    {
      name: "of another account",
      status: 404,
      run: async (world) =>
        world.call("deleteWorkspace", { params: { id: (await world.other()).workspace_id }, query: confirmed })
    },
    storeGone("Workspaces", 500, (world) =>
      world.call("deleteWorkspace", { params: { id: "default" }, query: confirmed })
    )
  ]
}
