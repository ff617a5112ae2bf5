import { assert } from "@effect/vitest"
import type { Answer, Call, World } from "../World.ts"
import { accessCases, type CasesOf, reasonIs, refused, storeGone } from "../http/Case.ts"
import { messages } from "./presetBodies.ts"
import { withoutDefault } from "../http/withoutDefault.ts"

const params = { slug: "support" }

const post = (world: World, call: Call = {}): Promise<Answer> =>
  world.call("createPreset", { params, body: { messages, model: "m" }, ...call })

const unknownId = "00000000-0000-4000-8000-000000000000"

export const getPreset: CasesOf = {
  operation: "getPreset",
  cases: [
    {
      name: "with the version that is designated",
      status: 200,
      run: async (world) => {
        await post(world)
        const last = await post(world)
        const read = await world.call("getPreset", { params })
        assert.strictEqual(read.text, last.text)
        return read
      },
      check: ({ json }) => assert.strictEqual(json.data.designated_version.version, 2)
    },
    {
      name: "with a management key, in the default workspace",
      status: 200,
      run: async (world) => {
        await post(world)
        return world.call("getPreset", { params, key: world.managementKey })
      }
    },
    {
      name: "with a management key, in a workspace that it names",
      status: 200,
      run: async (world) => {
        const made = await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })
        const call: Call = { key: world.managementKey, query: { workspace_id: made.json.data.id } }
        await post(world, call)
        assert.strictEqual((await world.call("getPreset", { params })).status, 404)
        return world.call("getPreset", { params, ...call })
      }
    },
    {
      name: "with an API key that names its own workspace, and with an unknown parameter",
      status: 200,
      run: async (world) => {
        await post(world)
        return world.call("getPreset", { params, query: { workspace_id: world.workspace_id, version: "7" } })
      }
    },
    ...accessCases("getPreset", () => ({ params })),
    { name: "unknown", status: 404, run: (world) => world.call("getPreset", { params }) },
    {
      name: "of another case",
      status: 404,
      run: async (world) => {
        await post(world)
        return world.call("getPreset", { params: { slug: "Support" } })
      }
    },
    {
      name: "of another account",
      status: 404,
      run: async (world) => {
        await post(await world.other())
        return world.call("getPreset", { params })
      }
    },
    {
      name: "an API key that names another workspace of its account",
      status: 404,
      run: async (world) => {
        const made = await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })
        const query = { workspace_id: made.json.data.id as string }
        await post(world, { key: world.managementKey, query })
        const foreign = await world.call("getPreset", { params, query })
        const absent = await world.call("getPreset", { params, query: { workspace_id: unknownId } })
        assert.strictEqual(foreign.json.error.metadata.reason, absent.json.error.metadata.reason)
        return foreign
      }
    },
    {
      name: "a management key that names a workspace nobody has",
      status: 404,
      run: (world) => world.call("getPreset", { params, key: world.managementKey, query: { workspace_id: unknownId } }),
      check: reasonIs("unknown_workspace")
    },
    {
      name: "a workspace by a slug that looks like an id",
      status: 404,
      run: async (world) => {
        const made = await world.call("createWorkspace", { body: { name: "Odd", slug: unknownId } })
        await post(world, { key: world.managementKey, query: { workspace_id: made.json.data.id } })
        return world.call("getPreset", { params, key: world.managementKey, query: { workspace_id: unknownId } })
      },
      check: reasonIs("unknown_workspace")
    },
    ...["a b", "a/b", "é", "a%2Fb", "x".repeat(129), "a\u0000", "a:1"].map((slug) =>
      refused(
        "getPreset",
        `slug ${JSON.stringify(slug).slice(0, 40)}`,
        { params: { slug } },
        { path: "path.slug", reason: "invalid_preset_slug" }
      )
    ),
    refused(
      "getPreset",
      "a workspace_id that is none",
      { params, query: { workspace_id: "x" } },
      { path: "query.workspace_id" }
    ),
    {
      name: "the default workspace deleted, and none named",
      status: 400,
      run: async (world) => {
        await withoutDefault(world)
        return world.call("getPreset", { params, key: world.managementKey })
      },
      check: reasonIs("default_workspace_deleted")
    },
    storeGone("Presets", 500, (world) => world.call("getPreset", { params }))
  ]
}
