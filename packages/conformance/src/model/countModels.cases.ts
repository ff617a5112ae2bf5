import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { accessCases, type CasesOf, refused, storeGone, unchanged } from "../http/Case.ts"
import { list, model, newAuthor } from "./catalog.ts"
import { read } from "./listModels/reading.ts"

const count = (world: World, query: Record<string, string> = {}) =>
  world.call("countModels", { key: world.normalKey, query })

export const countModels: CasesOf = {
  operation: "countModels",
  cases: [
    {
      name: "as many as the list has",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        const before = (await count(world, { output_modalities: "speech" })).json.data.count
        const speech = { architecture: { input_modalities: ["text"], output_modalities: ["speech"] } }
        await list(world, model(`${author}/a`), model(`${author}/b`, speech), model(`${author}/c`, { endpoints: [] }))
        assert.strictEqual((await count(world, { output_modalities: "speech" })).json.data.count, before + 1)
        const all = await read(world)
        return { ...(await count(world)), expected: all.json.total_count }
      },
      check: (answer) => assert.deepEqual(answer.json.data, { count: (answer as { expected?: number }).expected })
    },
    refused(
      "countModels",
      "too many modalities",
      { query: { output_modalities: "x".repeat(4097) } },
      { path: "query.output_modalities" }
    ),
    unchanged("countModels"),
    ...accessCases("countModels", () => ({})),
    storeGone("ModelCatalog", 500, (world) => count(world))
  ]
}
