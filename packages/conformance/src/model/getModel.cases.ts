import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { accessCases, type CasesOf, storeGone } from "../http/Case.ts"
import { list, model, newAuthor } from "./catalog.ts"
import { read as readList } from "./listModels/reading.ts"

const read = (world: World, author: string, slug: string) => world.call("getModel", { params: { author, slug } })

/** What a catalog may tell in addition. */
const listing = {
  benchmarks: {
    artificial_analysis: { agentic_index: 1, coding_index: null, intelligence_index: 2.5 },
    design_arena: [{ arena: "models", category: "website", elo: 1312.5, rank: 3, win_rate: 61.2 }]
  },
  hugging_face_id: "acme/m",
  knowledge_cutoff: "2025-06",
  expiration_date: "2027-01-31",
  supported_voices: ["alloy"],
  default_parameters: { temperature: 0.7, top_k: 40 }
}

export const getModel: CasesOf = {
  operation: "getModel",
  cases: [
    {
      name: "as the list has it, by each of its names",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        await list(world, model(`${author}/m`, { canonical_slug: `${author}/m-2026`, listing }))
        const listed = await readList(world, { model_authors: author })
        for (const slug of ["m", "m-2026", "m:free"])
          assert.deepEqual((await read(world, author, slug)).json, { data: listed.json.data[0] })
        const answer = await read(world, author, "m")
        assert.deepInclude(answer.json.data, listing)
        return answer
      }
    },
    { name: "nothing of this name", status: 404, run: (world) => read(world, newAuthor(), "m") },
    {
      name: "a model that nobody serves",
      status: 404,
      run: async (world) => {
        const author = newAuthor()
        await list(world, model(`${author}/m`, { endpoints: [] }))
        return read(world, author, "m")
      }
    },
    {
      name: "another account's own",
      status: 404,
      run: async (world) => {
        const author = newAuthor()
        const body = { models: [model(`${author}/own`)] }
        assert.strictEqual((await world.call("putCatalog", { query: { account: "own" }, body })).status, 200)
        assert.strictEqual((await read(world, author, "own")).status, 200)
        return read(await world.other(), author, "own")
      }
    },
    ...accessCases("getModel", () => ({ params: { author: "acme", slug: "m" } })),
    storeGone("ModelCatalog", 500, (world) => read(world, newAuthor(), "m"))
  ]
}
