/** How old an answer is, and that an old one is not sent again. */
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import { list, model, record } from "../../model/catalog.ts"
import { limitOf, own, type Query, rank, scene, shows } from "./scene.ts"

export const freshness: readonly Case[] = [
  shows("as of the last change to what is behind the answer", async (world) => {
    const { clock } = world.installation
    const window = { start_date: "2025-07-01", end_date: "2025-07-02" }
    const asOf = async (query: Query = {}) => {
      const answer = await rank(world, { ...window, ...query })
      return Date.parse(answer.json.meta.as_of)
    }
    const at: number[] = []
    const later = () => {
      clock.now += 1001
      at.push(clock.now)
    }
    later()
    const author = await scene(world, ["m"], [["2025-07-01", "m", 5]])
    assert.strictEqual(await asOf(), at[0])
    later()
    await record(world, { model: `${author}/m`, created_at: "2025-07-03T00:00:00Z", prompt_tokens: 1 })
    assert.strictEqual(await asOf(), at[0], "of another day")
    await record(world, { model: `${author}/unlisted`, created_at: "2025-07-01T00:00:00Z", prompt_tokens: 1 })
    assert.strictEqual(await asOf(), at[0], "of a model that is not ranked")
    later()
    await list(world, model(`${author}/m`, { name: "Renamed" }))
    assert.strictEqual(await asOf(), at[0], "a change that ranks nothing")
    later()
    await record(world, { model: `${author}/m`, created_at: "2025-07-02T00:00:00Z", prompt_tokens: 1, tool_calls: 1 })
    assert.strictEqual(await asOf(), at[3])
    assert.strictEqual(await asOf({ context_bucket: "10M" }), at[0])
    later()
    await list(world, model(`${author}/m`, { public: false }))
    assert.strictEqual(await asOf(), at[4], "the catalog changed what is ranked")
    return rank(world, window)
  }),
  shows("the same for every key of every account", async (world) => {
    await scene(world, ["m"], [["2025-08-01", "m", 5]])
    const query = { start_date: "2025-08-01", end_date: "2025-08-01" }
    const answer = await rank(world, query)
    assert.strictEqual((await rank(world, query, { key: world.managementKey })).text, answer.text)
    assert.strictEqual((await rank(await world.other(), query)).text, answer.text)
    return answer
  }),
  {
    name: "what the caller has already",
    status: 304,
    run: async (world) => {
      const author = await scene(world, ["m"], [["2025-08-02", "m", 5]])
      const query = { start_date: "2025-08-02", end_date: "2025-08-02" }
      const first = await rank(world, query)
      const etag = first.headers.get("etag") ?? ""
      assert.match(etag, /^"[^"]+"$/)
      const same = await rank(world, query, { headers: { "if-none-match": `"other", W/${etag}` } })
      assert.strictEqual(same.status, 304)
      assert.strictEqual(same.text, "")
      assert.strictEqual(same.headers.get("etag"), etag)
      assert.isNotNaN(limitOf(same, "minute"))
      world.installation.clock.now += 1000
      await record(world, { model: `${author}/m`, created_at: "2025-08-02T00:00:00Z", completion_tokens: 1 })
      const changed = await rank(world, query, { headers: { "if-none-match": etag } })
      assert.strictEqual(changed.status, 200)
      assert.deepEqual(own(changed, author), [["2025-08-02", "m", "6"]])
      const renewed = changed.headers.get("etag") ?? ""
      assert.notStrictEqual(renewed, etag)
      return rank(world, query, { headers: { "if-none-match": renewed } })
    }
  }
]
