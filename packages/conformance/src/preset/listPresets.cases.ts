import { assert } from "@effect/vitest"
import type { CasesOf } from "../http/Case.ts"
import { pageCases } from "../http/listCases.ts"
import type { World } from "../World.ts"
import { messages } from "./presetBodies.ts"
import { readingCases } from "./readingCases.ts"

let made = 0

const post = (world: World, slug: string) => world.call("createPreset", { params: { slug }, body: { messages } })

export const listPresets: CasesOf = {
  operation: "listPresets",
  cases: [
    ...pageCases(
      "listPresets",
      async (world) => (await post(world, `preset-${++made}`)).json.data.id,
      () => ({}),
      "latestFirst"
    ),
    {
      name: "a new version brings its preset to the front; versions are not shown",
      status: 200,
      run: async (world) => {
        for (const slug of ["one", "two", "one"]) {
          await post(world, slug)
          world.installation.clock.now += 1000
        }
        const shown = await Promise.all(
          ["one", "two"].map(async (slug) => {
            const { designated_version: _, ...preset } = (await world.call("getPreset", { params: { slug } })).json.data
            return preset
          })
        )
        const listed = await world.call("listPresets")
        assert.deepEqual(listed.json, { data: shown, total_count: 2 })
        return listed
      }
    },
    ...readingCases("listPresets", {}, ({ data }) => data[0]?.id)
  ]
}
