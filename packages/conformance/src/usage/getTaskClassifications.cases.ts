import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { accessCases, type CasesOf, refused, storeGone, unchanged } from "../http/Case.ts"
import { list, model, newAuthor } from "../model/catalog.ts"
import { dayMillis, dayOf, newHost, reportOneself, sharedLimit, use } from "./datasets/scene.ts"

const read = (world: World, query: Readonly<Record<string, string>> = {}) =>
  world.call("getTaskClassifications", { query })

const task = (tag: string) => ({ classifiers: { task: { tag } } })

/** A week so many days ahead, that no other case has recorded for. */
const weekIn = (world: World, days: number): string => {
  world.installation.clock.now += days * dayMillis
  return dayOf(world.installation.clock.now - dayMillis)
}

const shares = (usage_share: number, token_share: number) => ({ usage_share, token_share })

export const getTaskClassifications: CasesOf = {
  operation: "getTaskClassifications",
  cases: [
    {
      name: "shares of requests and tokens by task, model and macro-category, with the weights of samples",
      status: 200,
      run: async (world) => {
        const [author, host] = [newAuthor(), newHost()]
        await list(world, model(`${author}/a`), model(`${author}/hidden`, { public: false }))
        const yesterday = weekIn(world, 8)
        const first = dayOf(world.installation.clock.now - 7 * dayMillis)
        const of = (slug: string, tag: string, sample_weight = 1) => ({
          model: `${author}/${slug}`,
          ...task(tag),
          sample_weight
        })
        await use(
          world,
          host,
          [yesterday, 30, of("a", "code:general_impl")],
          [`${first}T00:00:00Z`, 5, of("hidden", "code:general_impl", 2)],
          [yesterday, 50, of("a:free", "agent:web_search")],
          [yesterday, 10, of("a", "code:_debugging_", 0.5)],
          // None of these is a task of the window.
          [dayOf(world.installation.clock.now), 1000, of("a", "code:general_impl")],
          [dayOf(world.installation.clock.now - 8 * dayMillis), 1000, of("a", "code:general_impl")],
          [yesterday, 1000, of("a", "other")],
          [yesterday, 1000, of("a", "code:Upper")],
          [yesterday, 1000, { classifiers: { task: { kind: "code:x" }, else: { tag: "code:x" } } }]
        )
        await reportOneself(world, { ...of("a", "code:mine"), created_at: `${yesterday}T12:00:00Z` })
        // Twice, as the first may have summed the days for the second.
        await read(world)
        return read(world, { window: "7d" })
      },
      check: ({ json }) => {
        const [impl, search, debugging] = json.data.classifications
        const author = String(search.models[0].id).split("/")[0]
        assert.lengthOf(json.data.classifications, 3)
        assert.deepEqual(impl, {
          tag: "code:general_impl",
          display_name: "General impl",
          macro_category: "code",
          ...shares(0.666666667, 0.421052632),
          category_usage_share: 0.857142857,
          category_token_share: 0.888888889,
          models: [{ id: `${author}/a`, tag_usage_share: 0.333333333, tag_token_share: 0.75 }]
        })
        assert.deepInclude(search, {
          ...shares(0.222222222, 0.526315789),
          category_usage_share: 1,
          macro_category: "agent"
        })
        assert.deepEqual(search.models, [{ id: `${author}/a:free`, tag_usage_share: 1, tag_token_share: 1 }])
        assert.deepInclude(debugging, {
          tag: "code:_debugging_",
          display_name: "Debugging",
          ...shares(0.111111111, 0.052631579)
        })
        assert.deepEqual(json.data.macro_categories, [
          { key: "code", label: "Code", ...shares(0.777777778, 0.473684211) },
          { key: "data", label: "Data", ...shares(0, 0) },
          { key: "agent", label: "Agent", ...shares(0.222222222, 0.526315789) },
          { key: "general", label: "General", ...shares(0, 0) }
        ])
      }
    },
    {
      name: "the hundred tasks with the most requests, which alone are the whole",
      status: 200,
      run: async (world) => {
        const day = weekIn(world, 20)
        const tags = Array.from({ length: 102 }, (_, index) => `data:t${String(index).padStart(3, "0")}`)
        const of = (tag: string, sample_weight: number) => ({ ...task(tag), sample_weight })
        // The last one has more requests than the others; of those that have as many, the first by code point count.
        await use(
          world,
          newHost(),
          ...tags.map((tag, index) => [day, 1, of(tag, index === 101 ? 101 : 1)] as Parameters<typeof use>[2])
        )
        return read(world)
      },
      check: ({ json }) => {
        const { classifications } = json.data
        assert.lengthOf(classifications, 100)
        assert.deepInclude(classifications[0], { tag: "data:t101", usage_share: 0.505 })
        assert.deepInclude(classifications[99], { tag: "data:t098", usage_share: 0.005, category_usage_share: 0.005 })
      }
    },
    {
      name: "nothing was classified",
      status: 200,
      run: async (world) => {
        weekIn(world, 40)
        const answer = await read(world)
        assert.strictEqual(answer.json.data.as_of, dayOf(world.installation.clock.now - dayMillis))
        return answer
      },
      check: ({ json }) => {
        assert.isEmpty(json.data.classifications)
        assert.strictEqual(json.data.window_days, 7)
        assert.lengthOf(json.data.macro_categories, 4)
      }
    },
    unchanged("getTaskClassifications"),
    ...accessCases("getTaskClassifications", () => ({})),
    refused("getTaskClassifications", "another window", { query: { window: "30d" } }, { path: "query.window" }),
    refused("getTaskClassifications", "an empty window", { query: { window: "" } }, { path: "query.window" }),
    sharedLimit("getTaskClassifications"),
    storeGone("DatasetsReader", 500, (world) => read(world))
  ]
}
