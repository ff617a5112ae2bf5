/** How often a key and an account may ask. */
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import { day, limitOf, rank } from "./scene.ts"

export const limits: readonly Case[] = [
  {
    name: "the 31st request of a key within a minute; what is refused does not count",
    status: 429,
    run: async (world) => {
      const { clock } = world.installation
      const query = { start_date: "2025-08-03", end_date: "2025-08-03" }
      for (let count = 1; count <= 30; count++) {
        // Whatever the answer, it counts.
        const answer = await rank(world, count % 3 === 0 ? { period: "year" } : query)
        assert.strictEqual(answer.status, count % 3 === 0 ? 400 : 200)
        assert.strictEqual(limitOf(answer, "minute"), 30 - count)
        assert.strictEqual(limitOf(answer, "day"), 500 - count)
        assert.strictEqual(answer.headers.get("ratelimit-policy"), `"minute";q=30;w=60, "day";q=500;w=86400`)
        if (count === 1) clock.now += 10_000
      }
      const refusal = await rank(world, query)
      assert.strictEqual(refusal.status, 429)
      assert.strictEqual(refusal.headers.get("retry-after"), "50")
      assert.strictEqual(limitOf(refusal, "minute"), 0)
      assert.strictEqual(limitOf(refusal, "day"), 470)
      const neighbour = await rank(world, query, { key: world.managementKey })
      assert.strictEqual(neighbour.status, 200, "another key of the account")
      clock.now += 49_999
      assert.strictEqual((await rank(world, query)).status, 429)
      clock.now += 1
      assert.strictEqual((await rank(world, query)).status, 200, "the first request is a minute old")
      return rank(world, query)
    },
    check: ({ json, headers }) => {
      assert.deepInclude(json.error, { code: 429, message: "Rate limit exceeded" })
      assert.strictEqual(json.error.metadata.reason, "rate_limited")
      assert.deepEqual(
        json.error.metadata.issues.map(({ code }: { code: string }) => code),
        ["minute"]
      )
      assert.strictEqual(headers.get("retry-after"), "10")
    }
  },
  {
    name: "the 501st request of an account within a day",
    status: 429,
    run: async (world) => {
      const { clock } = world.installation
      // All in one day: from its beginning.
      clock.now += day - (clock.now % day)
      const turn = async (count: number, key: string) => {
        const answers = await Promise.all(Array.from({ length: count }, () => rank(world, { period: "year" }, { key })))
        assert.deepEqual([...new Set(answers.map(({ status }) => status))], [400])
      }
      for (let minute = 0; minute < 8; minute++) {
        await turn(30, world.normalKey)
        await turn(30, world.managementKey)
        clock.now += 60_000
      }
      await turn(20, world.normalKey)
      const query = { start_date: "2025-08-03", end_date: "2025-08-03" }
      const refusal = await rank(world, query)
      assert.strictEqual(limitOf(refusal, "minute"), 10)
      assert.strictEqual(limitOf(refusal, "day"), 0)
      assert.strictEqual(refusal.headers.get("retry-after"), String((day - (clock.now % day)) / 1000))
      assert.strictEqual((await rank(await world.other(), query)).status, 200, "another account")
      const evening = await rank(world, query, { key: world.managementKey })
      clock.now += day - (clock.now % day)
      assert.strictEqual((await rank(world, query)).status, 200, "another day")
      return evening
    }
  }
]
