/** The cases of the operations that read versions of a preset. */
import { assert } from "@effect/vitest"
import type { Case, CasesOf } from "../http/Case.ts"
import { boundsCases, fullPageCase } from "../http/listCases.ts"
import type { World } from "../World.ts"
import { post, slug } from "./createPreset/scene.ts"
import { readingPresetCases } from "./readingCases.ts"

const params = { slug }

/** Each with a seed of its own. */
const makeVersions = async (world: World, count: number): Promise<readonly unknown[]> => {
  const made: unknown[] = []
  for (let seed = 1; seed <= count; seed++) {
    made.push((await post(world, { seed })).json.data.designated_version)
    world.installation.clock.now += 1000
  }
  return made
}

const numbers: readonly Case[] = ["0", "3", "01", "+1", "1.0", "-1", "x", "latest", "999999999", "9999999999999"].map(
  (version) => ({
    name: `version ${version}, which it does not have`,
    status: 404,
    run: async (world) => {
      await makeVersions(world, 2)
      return world.call("getPresetVersion", { params: { slug, version } })
    }
  })
)

export const presetVersionCases: readonly CasesOf[] = [
  {
    operation: "listPresetVersions",
    cases: [
      ...boundsCases(
        "listPresetVersions",
        async (world) => {
          await makeVersions(world, 1)
          return { params }
        },
        ({ json }) => assert.strictEqual(json.total_count, 1)
      ),
      {
        name: "from the first on, a page at a time",
        status: 200,
        run: async (world) => {
          const versions = await makeVersions(world, 5)
          await world.call("createPreset", {
            params: { slug: "other" },
            body: { messages: [{ role: "user", content: "" }] }
          })
          for (let offset = 0; offset <= 6; offset++) {
            const page = await world.call("listPresetVersions", {
              params,
              query: { limit: "2", offset: String(offset) }
            })
            assert.deepEqual(page.json, { data: versions.slice(offset, offset + 2), total_count: 5 })
          }
          const all = await world.call("listPresetVersions", { params })
          assert.deepEqual(all.json, { data: versions, total_count: 5 })
          return all
        }
      },
      fullPageCase(
        "listPresetVersions",
        async (world, bytes) =>
          (await post(world, { messages: [{ role: "system", content: "x".repeat(bytes) }] })).json.data
            .designated_version_id,
        () => ({ params })
      ),
      ...readingPresetCases("listPresetVersions", params, ({ data }) => data[0]?.preset_id)
    ]
  },
  {
    operation: "getPresetVersion",
    cases: [
      {
        name: "each as it was made",
        status: 200,
        run: async (world) => {
          const versions = await makeVersions(world, 2)
          for (const [index, version] of versions.entries()) {
            const read = await world.call("getPresetVersion", { params: { slug, version: `${index + 1}` } })
            assert.deepEqual(read.json, { data: version })
          }
          return world.call("getPresetVersion", { params: { slug, version: "1" } })
        }
      },
      ...numbers,
      ...readingPresetCases("getPresetVersion", { slug, version: "1" }, ({ data }) => data.preset_id)
    ]
  }
]
