/** In which workspace a preset is made, by whom, and how long it stays. */
import { assert } from "@effect/vitest"
import type { Call, World } from "../../World.ts"
import { type Case, reasonIs } from "../../http/Case.ts"
import { messages } from "../presetBodies.ts"
import { withoutDefault } from "../../http/withoutDefault.ts"
import { post, read } from "./scene.ts"

const unknownId = "00000000-0000-4000-8000-000000000000"

const secondWorkspace = async (world: World): Promise<string> =>
  (await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })).json.data.id

export const workspaces: readonly Case[] = [
  {
    name: "with a management key, in the default workspace",
    status: 200,
    run: (world) => post(world, {}, { key: world.managementKey }),
    check: ({ json }, world) =>
      assert.deepInclude(json.data, { workspace_id: world.workspace_id, creator_user_id: "system" })
  },
  {
    name: "with a management key, in a workspace that it names, beside one of the same slug",
    status: 200,
    run: async (world) => {
      await post(world)
      const workspace_id = await secondWorkspace(world)
      return post(world, {}, { key: world.managementKey, query: { workspace_id: workspace_id.toUpperCase() } })
    },
    check: async ({ json }, world) => {
      assert.strictEqual(json.data.designated_version.version, 1)
      assert.notStrictEqual(json.data.workspace_id, world.workspace_id)
      assert.notStrictEqual((await read(world)).json.data.id, json.data.id)
    }
  },
  {
    name: "with an API key that names its own workspace",
    status: 200,
    run: (world) => post(world, {}, { query: { workspace_id: world.workspace_id } })
  },
  {
    name: "with another API key of the workspace",
    status: 200,
    run: async (world) => {
      await post(world)
      const made = await world.call("createKey", { body: { name: "other", creator_user_id: "user-2" } })
      return post(world, {}, { key: made.json.key })
    },
    check: ({ json }) => {
      assert.strictEqual(json.data.creator_user_id, "user-1")
      assert.deepInclude(json.data.designated_version, { version: 2, creator_id: "user-2" })
    }
  },
  {
    name: "presets of two accounts do not meet",
    status: 200,
    run: async (world) => {
      await post(await world.other())
      return post(world)
    },
    check: ({ json }) => assert.strictEqual(json.data.designated_version.version, 1)
  },
  {
    name: "a deleted workspace takes its presets with it",
    status: 200,
    run: async (world) => {
      const workspace_id = await secondWorkspace(world)
      const call: Call = { key: world.managementKey, query: { workspace_id } }
      const made = await post(world, {}, call)
      await world.call("deleteWorkspace", { params: { id: workspace_id } })
      assert.strictEqual((await read(world, call)).status, 404)
      assert.strictEqual((await post(world, {}, call)).status, 404)
      return made
    }
  },
  {
    name: "an API key that names another workspace of its account",
    status: 403,
    run: async (world) => post(world, {}, { query: { workspace_id: await secondWorkspace(world) } }),
    check: reasonIs("foreign_workspace")
  },
  {
    name: "an API key that names a workspace nobody has",
    status: 403,
    run: (world) => post(world, {}, { query: { workspace_id: unknownId } }),
    check: reasonIs("foreign_workspace")
  },
  {
    name: "an API key that names another workspace: 403 comes before 400",
    status: 403,
    run: async (world) => {
      const query = { workspace_id: unknownId }
      const odd = await world.call("createPreset", { params: { slug: "a b" }, body: { messages }, query })
      assert.strictEqual(odd.status, 403)
      const typed = await post(world, {}, { query, headers: { "content-type": "text/plain" } })
      assert.strictEqual(typed.status, 403)
      return post(world, { messages: [] }, { query })
    }
  },
  {
    name: "a management key that names a workspace nobody has",
    status: 404,
    run: (world) => post(world, {}, { key: world.managementKey, query: { workspace_id: unknownId } }),
    check: reasonIs("unknown_workspace")
  },
  {
    name: "a management key that names a workspace of another account",
    status: 404,
    run: async (world) =>
      post(world, {}, { key: world.managementKey, query: { workspace_id: (await world.other()).workspace_id } }),
    check: reasonIs("unknown_workspace")
  },
  {
    name: "the Idempotency-Key of a preset in another workspace",
    status: 400,
    run: async (world) => {
      const call = { key: world.managementKey, headers: { "idempotency-key": "once" } }
      const query = { workspace_id: await secondWorkspace(world) }
      const first = await post(world, {}, { ...call, query })
      assert.strictEqual((await post(world, {}, { ...call, query })).text, first.text)
      return post(world, {}, call)
    },
    check: reasonIs("idempotency_key_reused")
  },
  {
    name: "a workspace_id that is none",
    status: 400,
    run: (world) => post(world, {}, { query: { workspace_id: "default" } })
  },
  {
    name: "a workspace_id given twice",
    status: 400,
    run: (world) => post(world, {}, { query: `workspace_id=${world.workspace_id}&workspace_id=${world.workspace_id}` })
  },
  {
    name: "the default workspace deleted, and none named",
    status: 400,
    run: async (world) => {
      await withoutDefault(world)
      return post(world, {}, { key: world.managementKey })
    },
    check: reasonIs("default_workspace_deleted")
  }
]
