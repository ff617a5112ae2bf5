/** Datasets of classified requests: estimates over whole weeks. */
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import { day, dayOf, own, rank, scene, shows } from "./scene.ts"

export const samples: readonly Case[] = [
  shows(
    "a category includes its subcategories; estimates are rounded half up, once per model and week",
    async (world) => {
      const sample = (category: string | undefined, sample_weight?: number) => ({ category, sample_weight })
      const author = await scene(
        world,
        ["m", "half", "none"],
        [
          ["2025-05-05", "m", 10, sample("marketing", 2.5)],
          ["2025-05-11", "m", 1, sample("marketing/seo", 0.4)],
          ["2025-05-07", "m", 1000, sample("legal")],
          ["2025-05-07", "m", 1000],
          ["2025-05-07", "half", 1, sample("marketing", 0.1)],
          ["2025-05-07", "half", 2, sample("marketing", 0.2)],
          ["2025-05-07", "half", 0, { ...sample("marketing", 1e300), completion_tokens: 0 }],
          ["2025-05-07", "none", 1, sample("marketing", 0.4999999999)]
        ]
      )
      const window = { start_date: "2025-05-07", end_date: "2025-05-07" }
      const answer = await rank(world, { ...window, category: "marketing" })
      // 10 × 2.5 + 1 × 0.4 = 25.4, and 1 × 0.1 + 2 × 0.2 = 0.5, which binary fractions would miss.
      assert.deepEqual(own(answer, author), [
        ["2025-05-05", "m", "25"],
        ["2025-05-05", "half", "1"]
      ])
      assert.deepInclude(answer.json.meta, window)
      assert.deepEqual(own(await rank(world, { ...window, category: "marketing/seo" }), author), [])
      assert.deepEqual(own(await rank(world, { ...window, category: "legal" }), author), [["2025-05-05", "m", "1000"]])
      assert.deepEqual(
        own(await rank(world, window), author).find(([, slug]) => slug === "m"),
        ["2025-05-07", "m", "2000"]
      )
      return answer
    }
  ),
  shows("sampled weeks are whole, and a month has the weeks whose Monday it has", async (world) => {
    const natural = { language_type: "natural" }
    const author = await scene(
      world,
      ["m"],
      [
        ["2024-12-29", "m", 1, natural],
        ["2024-12-30", "m", 10, natural],
        ["2025-01-05T23:59:59.999Z", "m", 100, natural],
        ["2025-01-06", "m", 1000, natural],
        ["2025-01-06", "m", 5, { language_type: "programming" }],
        ["2025-02-02", "m", 10_000, natural],
        ["2025-02-03", "m", 100_000, natural],
        ["2025-02-09", "m", 1_000_000, natural],
        ["2025-02-10", "m", 10_000_000, natural]
      ]
    )
    const query = { start_date: "2025-01-01", end_date: "2025-02-03", language_type: "natural" }
    const answer = await rank(world, query)
    assert.deepEqual(own(answer, author), [
      ["2024-12-30", "m", "110"],
      ["2025-01-06", "m", "1000"],
      ["2025-01-27", "m", "10000"],
      ["2025-02-03", "m", "1100000"]
    ])
    assert.deepEqual(own(await rank(world, { ...query, period: "week" }), author), own(answer, author))
    assert.deepEqual(own(await rank(world, { ...query, period: "month" }), author), [
      ["2024-12-01", "m", "110"],
      ["2025-01-01", "m", "11000"],
      ["2025-02-01", "m", "1100000"]
    ])
    return answer
  }),
  shows("the trailing sampled week includes what came after the end, today too", async (world) => {
    const now = new Date(world.installation.clock.now)
    const monday = dayOf(now.getTime() - ((now.getUTCDay() + 6) % 7) * day)
    if (dayOf(now.getTime()) === monday) world.installation.clock.now += day
    const author = await scene(
      world,
      ["m"],
      [[new Date(world.installation.clock.now).toISOString(), "m", 7, { category: "science" }]]
    )
    const answer = await rank(world, { category: "science" })
    assert.deepEqual(own(answer, author), [[monday, "m", "7"]])
    return answer
  })
]
