/** Which models a bucket names, in which order, and with which sums. */
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import { list, model, newAuthor, record } from "../../model/catalog.ts"
import { own, rank, type Row, scene, shows } from "./scene.ts"

export const ranks: readonly Case[] = [
  shows("by day, then tokens, then name by code point", async (world) => {
    const author = await scene(
      world,
      ["a", "b", "B", "\uffee", "\u{1f600}"],
      [
        ["2025-03-02", "a", 5],
        ["2025-03-01", "a", 7, { completion_tokens: 3 }],
        ["2025-03-01", "b", 9],
        ["2025-03-01", "b", 2],
        ["2025-03-01", "\u{1f600}", 4],
        ["2025-03-01", "\uffee", 4],
        ["2025-03-01", "B", 4],
        ["2025-03-01T00:00:00Z", "a", 1],
        ["2025-03-01T23:59:59.999999999Z", "a", 1],
        ["2025-02-28T23:59:59.999Z", "a", 100],
        ["2025-03-03T00:00:00.000Z", "a", 100]
      ]
    )
    const answer = await rank(world, { start_date: "2025-03-01", end_date: "2025-03-02" })
    assert.deepEqual(own(answer, author), [
      ["2025-03-01", "a", "12"],
      ["2025-03-01", "b", "11"],
      ["2025-03-01", "B", "4"],
      ["2025-03-01", "\uffee", "4"],
      ["2025-03-01", "\u{1f600}", "4"],
      ["2025-03-02", "a", "5"]
    ])
    assert.deepInclude(answer.json.meta, { start_date: "2025-03-01", end_date: "2025-03-02", version: "v1" })
    assert.match(answer.json.meta.as_of, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
    return answer
  }),
  shows("fifty models and all others together, last even when they are most", async (world) => {
    const slugs = Array.from({ length: 53 }, (_, index) => `m${String(index).padStart(2, "0")}`)
    const author = await scene(
      world,
      slugs,
      // The first 48 are told apart by their tokens; the other five tie across the border of fifty.
      slugs.map((slug, index) => ["2025-03-10", slug, index < 48 ? 1000 - index : 400] as const)
    )
    const answer = await rank(world, { start_date: "2025-03-10", end_date: "2025-03-10" })
    const rows: readonly Row[] = answer.json.data
    assert.strictEqual(rows.length, 51)
    assert.deepEqual(
      rows.slice(0, 50).map(({ model_permaslug }) => model_permaslug),
      slugs.slice(0, 50).map((slug) => `${author}/${slug}`)
    )
    assert.deepEqual(rows[50], { date: "2025-03-10", model_permaslug: "other", total_tokens: "1200" })
    return answer
  }),
  shows("no aggregate of fifty models, and none of models without tokens", async (world) => {
    const slugs = Array.from({ length: 52 }, (_, index) => `m${index}`)
    const author = await scene(
      world,
      slugs,
      slugs.map((slug, index) => ["2025-03-11", slug, index < 50 ? 1 : 0] as const)
    )
    const answer = await rank(world, { start_date: "2025-03-11", end_date: "2025-03-11" })
    assert.strictEqual(answer.json.data.length, 50)
    assert.strictEqual(own(answer, author).length, 50)
    return answer
  }),
  shows("week and month are ranked anew from what the days sum up to", async (world) => {
    const fifty = (letter: string) => Array.from({ length: 50 }, (_, index) => `${letter}${index}`)
    // On either day the last model is below fifty others, over both it is the first.
    const author = await scene(
      world,
      [...fifty("a"), ...fifty("b"), "last"],
      [
        ...fifty("a").map((slug) => ["2025-04-08", slug, 11] as const),
        ...fifty("b").map((slug) => ["2025-04-09", slug, 12] as const),
        ["2025-04-08", "last", 10],
        ["2025-04-09", "last", 10]
      ]
    )
    const window = { start_date: "2025-04-08", end_date: "2025-04-09" }
    const byDay = await rank(world, window)
    assert.notInclude(byDay.text, `${author}/last`)
    assert.deepEqual(byDay.json.data[50], { date: "2025-04-08", model_permaslug: "other", total_tokens: "10" })
    for (const [period, date] of [
      ["week", "2025-04-07"],
      ["month", "2025-04-01"]
    ] as const) {
      const answer = await rank(world, { ...window, period })
      assert.deepEqual(own(answer, author)[0], [date, "last", "20"])
      assert.deepEqual(answer.json.data.at(-1), {
        date,
        model_permaslug: "other",
        total_tokens: String(50 * 11 + 12)
      })
    }
    return byDay
  }),
  shows("only public models; a private variant stays private", async (world) => {
    const author = newAuthor()
    await list(
      world,
      model(`${author}/shown`),
      model(`${author}/hidden`, { public: false }),
      model(`${author}/shown:secret`, { canonical_slug: `${author}/shown`, public: false })
    )
    await record(
      world,
      ...["shown", "shown:free", "shown:secret", "hidden", "hidden:free", "unlisted"].map((slug) => ({
        model: `${author}/${slug}`,
        created_at: "2025-03-12T00:00:00Z",
        prompt_tokens: 3
      }))
    )
    const window = { start_date: "2025-03-12", end_date: "2025-03-12" }
    const answer = await rank(world, window)
    assert.deepEqual(own(answer, author), [
      ["2025-03-12", "shown", "3"],
      ["2025-03-12", "shown:free", "3"]
    ])
    await list(world, model(`${author}/hidden`), model(`${author}/shown`, { public: false }))
    assert.deepEqual(own(await rank(world, window), author), [
      ["2025-03-12", "hidden", "3"],
      ["2025-03-12", "hidden:free", "3"]
    ])
    return answer
  }),
  shows("under canonical slugs, variants apart", async (world) => {
    const author = newAuthor()
    await list(world, model(`${author}/m`, { canonical_slug: `${author}/m-2025` }))
    await record(
      world,
      ...["m", "m-2025", "m:free", "m-2025:free", "m:online"].map((slug, index) => ({
        model: `${author}/${slug}`,
        created_at: "2025-03-13T00:00:00Z",
        prompt_tokens: 10 ** index
      }))
    )
    const answer = await rank(world, { start_date: "2025-03-13", end_date: "2025-03-13" })
    assert.deepEqual(own(answer, author), [
      ["2025-03-13", "m-2025:online", "10000"],
      ["2025-03-13", "m-2025:free", "1100"],
      ["2025-03-13", "m-2025", "11"]
    ])
    return answer
  }),
  shows("sums of any size are exact, whatever the outcome of the request", async (world) => {
    const most = Number.MAX_SAFE_INTEGER
    const author = await scene(
      world,
      ["m"],
      ["ok", "error", "cancelled", "blocked", "rate_limited"].map(
        (status) => ["2025-03-14", "m", most, { completion_tokens: most - 1, status }] as const
      )
    )
    const answer = await rank(world, { start_date: "2025-03-14", end_date: "2025-03-14" })
    assert.deepEqual(own(answer, author), [["2025-03-14", "m", String((2n * BigInt(most) - 1n) * 5n)]])
    return answer
  }),
  shows("weeks start on Monday, months on their first; only days of the window count", async (world) => {
    const author = await scene(
      world,
      ["m"],
      [
        ["2025-01-01", "m", 1],
        ["2025-01-05", "m", 10],
        ["2025-01-06", "m", 100],
        ["2025-01-31", "m", 1000],
        ["2025-02-01", "m", 10_000]
      ]
    )
    const window = { start_date: "2025-01-01", end_date: "2025-01-31" }
    const weeks = await rank(world, { ...window, period: "week" })
    assert.deepEqual(own(weeks, author), [
      ["2024-12-30", "m", "11"],
      ["2025-01-06", "m", "100"],
      ["2025-01-27", "m", "1000"]
    ])
    assert.deepInclude(weeks.json.meta, window)
    assert.deepEqual(own(await rank(world, { ...window, start_date: "2025-01-02", period: "month" }), author), [
      ["2025-01-01", "m", "1110"]
    ])
    return weeks
  })
]
