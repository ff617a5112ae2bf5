import { assert } from "@effect/vitest"
import { type Case, type CasesOf, managementOnly, outcomeUnknown, reasonIs, refused, storeGone } from "../http/Case.ts"
import type { World } from "../World.ts"
import { given } from "./queryAnalytics/scene.ts"

const about = { generation_id: "gen-1", category: "latency" }

const give = (world: World, fields: object = {}) =>
  world.call("submitGenerationFeedback", { body: { ...about, ...fields } })

const feedbackOf = async (world: World): Promise<unknown> =>
  (await world.call("getGeneration", { query: { id: "gen-1" }, key: world.managementKey })).json.data.feedback

const bad = (name: string, fields: object, path: string): Case =>
  refused("submitGenerationFeedback", name, { body: { ...about, ...fields } }, { path, reason: "invalid_request" })

export const submitGenerationFeedback: CasesOf = {
  operation: "submitGenerationFeedback",
  cases: [
    {
      name: "a category and a comment",
      status: 200,
      run: async (world) => {
        await given(world, { id: "gen-1" }, { id: "gen-2" })
        assert.isNull(await feedbackOf(world))
        return give(world, { comment: "Too slow — 9 s." })
      },
      check: async ({ json }, world) => {
        assert.deepEqual(json, { data: { success: true } })
        const given_at = new Date(world.installation.clock.now).toISOString()
        assert.deepEqual(await feedbackOf(world), { category: "latency", comment: "Too slow — 9 s.", given_at })
        const other = await world.call("getGeneration", { query: { id: "gen-2" } })
        assert.isNull(other.json.data.feedback)
      }
    },
    {
      name: "given again, it replaces what was given before, the comment too",
      status: 200,
      run: async (world) => {
        await given(world, { id: "gen-1" })
        await give(world, { comment: "Too slow." })
        world.installation.clock.now += 1_000
        return give(world, { category: "billing" })
      },
      check: async (_, world) => {
        const given_at = new Date(world.installation.clock.now).toISOString()
        assert.deepEqual(await feedbackOf(world), { category: "billing", comment: null, given_at })
      }
    },
    {
      name: "of a comment that is null or empty",
      status: 200,
      run: async (world) => {
        await given(world, { id: "gen-1" })
        assert.strictEqual((await give(world, { comment: null })).status, 200)
        return give(world, { comment: "" })
      },
      check: async (_, world) => assert.deepInclude((await feedbackOf(world)) as object, { comment: "" })
    },
    {
      name: "an event that nobody recorded",
      status: 404,
      run: (world) => give(world),
      check: reasonIs("not_found")
    },
    {
      name: "another account's event",
      status: 404,
      run: async (world) => {
        const other = await world.other()
        await given(other, { id: "gen-1" })
        const answer = await give(world)
        assert.isNull(await feedbackOf(other))
        return answer
      },
      check: reasonIs("not_found")
    },
    bad("no generation", { generation_id: undefined }, "generation_id"),
    bad("an empty id", { generation_id: "" }, "generation_id"),
    bad("no category", { category: undefined }, "category"),
    bad("a category that does not exist", { category: "praise" }, "category"),
    bad("a comment that is too long", { comment: "x".repeat(4_001) }, "comment"),
    ...managementOnly("submitGenerationFeedback", () => ({ body: about })),
    storeGone("Generations", 500, (world) => give(world)),
    outcomeUnknown("Generations", (world) => give(world))
  ]
}
