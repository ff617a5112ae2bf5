import { assert } from "@effect/vitest"
import type { Answer, Call, World } from "../World.ts"
import { type CasesOf, reasonIs, refused } from "../http/Case.ts"
import { messages } from "./presetBodies.ts"
import { readingPresetCases } from "./readingCases.ts"

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
    ...readingPresetCases("getPreset", params, ({ data }) => data.id),
    {
      name: "of another case",
      status: 404,
      run: async (world) => {
        await post(world)
        return world.call("getPreset", { params: { slug: "Support" } })
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
    )
  ]
}
