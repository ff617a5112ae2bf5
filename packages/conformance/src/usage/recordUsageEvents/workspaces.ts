/** To which workspace an event goes, named or not. */
import { assert } from "@effect/vitest"
import { type Case, reasonIs } from "../../http/Case.ts"
import { withoutDefault } from "../../http/withoutDefault.ts"
import { bad, counted, record, shown, shows } from "./scene.ts"

export const workspaces: readonly Case[] = [
  {
    name: "without a workspace: the default one",
    status: 200,
    run: (world) => record(world, { api_key_hash: "f".repeat(64) }),
    check: (answer, world) => shows(["workspace"], [{ workspace: world.workspace_id, request_count: 1 }])(answer, world)
  },
  {
    name: "without a workspace: the key's",
    status: 200,
    run: async (world) => {
      const workspace = await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })
      const { id } = workspace.json.data
      const key = await world.call("createKey", { body: { name: "there", workspace_id: id } })
      return record(
        world,
        { api_key_hash: key.json.data.hash },
        { id: "event-2", api_key_hash: key.json.data.hash, workspace_id: world.workspace_id }
      )
    },
    check: async (_, world) => {
      const second = await world.call("getWorkspace", { params: { id: "second" }, key: world.managementKey })
      const rows = await shown(world, ["request_count"], ["workspace"])
      assert.sameDeepMembers(rows, [
        { workspace: world.workspace_id, request_count: 1 },
        { workspace: second.json.data.id, request_count: 1 }
      ])
    }
  },
  {
    name: "a key of another account is kept as recorded",
    status: 200,
    run: async (world) => {
      const { normalKeyHash } = await world.other()
      await record(world, { api_key_hash: normalKeyHash })
      assert.deepEqual(await shown(world, ["request_count"], ["workspace", "api_key_id"]), [
        { workspace: world.workspace_id, api_key_id: normalKeyHash, request_count: 1 }
      ])
      return record(world, { api_key_hash: normalKeyHash })
    },
    check: counted(0, 1)
  },
  {
    name: "the named workspace, in capitals",
    status: 200,
    run: (world) => record(world, { workspace_id: world.workspace_id.toUpperCase() }),
    check: (answer, world) => shows(["workspace"], [{ workspace: world.workspace_id, request_count: 1 }])(answer, world)
  },
  bad(
    "an unknown workspace",
    { workspace_id: "00000000-0000-4000-8000-000000000000" },
    "workspace_id",
    "unknown_workspace"
  ),
  bad("a workspace that is no uuid", { workspace_id: "default" }, "workspace_id"),
  {
    name: "a workspace of another account",
    status: 400,
    run: async (world) => record(world, { workspace_id: (await world.other()).workspace_id }),
    check: reasonIs("unknown_workspace")
  },
  {
    name: "no workspace, and the default one was deleted",
    status: 400,
    run: async (world) => {
      await withoutDefault(world)
      return record(world, {})
    },
    check: reasonIs("default_workspace_deleted")
  },
  {
    name: "events outlive their workspace",
    status: 200,
    run: async (world) => {
      await record(world, {})
      await withoutDefault(world)
      return world.call("queryAnalytics", { body: { metrics: ["request_count"] } })
    },
    check: ({ json }) => assert.deepEqual(json.data.data, [{ request_count: 1 }])
  }
]
