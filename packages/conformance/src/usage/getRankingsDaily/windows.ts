/** Which days are looked at when some or none are asked for. */
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import { day, dayOf, own, rank, scene, shows, yesterday } from "./scene.ts"

export const windows: readonly Case[] = [
  shows("until yesterday and from thirty days before, when nothing is asked for", async (world) => {
    const [first, last] = [dayOf(yesterday(world) - 30 * day), dayOf(yesterday(world))]
    const today = dayOf(world.installation.clock.now)
    const author = await scene(
      world,
      ["m"],
      [
        [dayOf(yesterday(world) - 31 * day), "m", 1],
        [first, "m", 10],
        [last, "m", 100],
        [`${today}T00:00:00Z`, "m", 1000]
      ]
    )
    const answer = await rank(world, {})
    assert.deepEqual(own(answer, author), [
      [first, "m", "10"],
      [last, "m", "100"]
    ])
    assert.deepInclude(answer.json.meta, { start_date: first, end_date: last })
    return answer
  }),
  shows("thirty days before the end that is asked for; every unknown parameter is ignored", async (world) => {
    const answer = await rank(world, { end_date: "2025-06-30", limit: "x", modalities: "text" })
    assert.deepInclude(answer.json.meta, { start_date: "2025-05-31", end_date: "2025-06-30" })
    return answer
  }),
  shows("the start moves forward to the first day of the dataset, the end back to yesterday", async (world) => {
    await scene(world, ["m"], [["2024-12-31", "m", 9_000_000]])
    const answer = await rank(world, { start_date: "2024-06-01", end_date: "9999-12-31" })
    assert.deepInclude(answer.json.meta, { start_date: "2025-01-01", end_date: dayOf(yesterday(world)) })
    assert.notInclude(answer.text, `"date":"2024`)
    return answer
  }),
  shows("the first day of the dataset is the first end", (world) => rank(world, { end_date: "2025-01-01" }))
]
