import { assert } from "@effect/vitest"
import type { Answer, Call, World } from "../World.ts"
import { accessCases, type Case, type CasesOf, reasonIs, refused, storeGone } from "./Case.ts"
import { list, model, newAuthor, record } from "./catalog.ts"

type Query = Readonly<Record<string, string>>
type Row = { readonly date: string; readonly model_permaslug: string; readonly total_tokens: string }

const rank = (world: World, query: Query, call: Call = {}) => world.call("getRankingsDaily", { query, ...call })

/** The rows of one author as `[date, name without the author, tokens]`: other cases have recorded for these days, too. */
const own = (answer: Answer, author: string): readonly (readonly [string, string, string])[] =>
  (answer.json.data as readonly Row[])
    .filter(({ model_permaslug }) => model_permaslug.startsWith(`${author}/`))
    .map(({ date, model_permaslug, total_tokens }) => [date, model_permaslug.slice(author.length + 1), total_tokens])

const day = 86_400_000
const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)
const yesterday = (world: World): number => world.installation.clock.now - day

/** Models of one new author, all listed, and events on them: `[day or instant, slug, tokens]` with more fields. */
const scene = async (
  world: World,
  slugs: readonly string[],
  events: readonly (readonly [
    at: string,
    slug: string,
    prompt_tokens: number,
    fields?: Query | Record<string, unknown>
  ])[],
  fields: Record<string, unknown> = {}
): Promise<string> => {
  const author = newAuthor()
  await list(world, ...slugs.map((slug) => model(`${author}/${slug}`, fields)))
  await record(
    world,
    ...events.map(([at, slug, prompt_tokens, more]) => ({
      model: `${author}/${slug}`,
      created_at: at.length === 10 ? `${at}T12:00:00Z` : at,
      prompt_tokens,
      ...more
    }))
  )
  return author
}

/** A case whose answer is looked at while the author is known. */
const shows = (name: string, run: (world: World) => Promise<Answer>): Case => ({ name, status: 200, run })

const bad = (name: string, query: Query, path: string, reason?: string) =>
  refused("getRankingsDaily", name, { query }, { path, reason })

const badWindow = (name: string, query: Query, path: string) => bad(name, query, path, "invalid_date_window")

/** Every pair of filters that excludes each other. */
const exclusive: readonly (readonly [Query, string])[] = [
  [{ category: "legal", language_type: "natural" }, "query.category"],
  [{ category: "legal", modality: "text" }, "query.category"],
  [{ category: "legal", context_bucket: "1K" }, "query.category"],
  [{ language_type: "natural", modality: "text" }, "query.language_type"],
  [{ language_type: "natural", context_bucket: "10M" }, "query.language_type"],
  [{ language_type: "natural", category: "legal", modality: "text", context_bucket: "1K" }, "query.category"]
]

const limitOf = (answer: Answer, policy: string): number =>
  Number(new RegExp(`"${policy}";r=(\\d+)`).exec(answer.headers.get("ratelimit") ?? "")?.[1])

export const getRankingsDaily: CasesOf = {
  operation: "getRankingsDaily",
  cases: [
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
    }),
    shows("modalities of the event, else of the catalog at that time; tool calls; context lengths", async (world) => {
      const author = await scene(
        world,
        ["m"],
        [
          ["2025-03-15", "m", 1],
          ["2025-03-15", "m", 10, { input_modalities: ["text", "image"], output_modalities: ["image"] }],
          ["2025-03-15", "m", 100, { input_modalities: ["text"], output_modalities: [], tool_calls: 2 }],
          ["2025-03-15", "m", 1000, { input_modalities: ["file"], output_modalities: ["text"] }],
          ["2025-03-15", "m", 10_000, { tool_calls: 1 }],
          ["2025-03-15", "m", 0, { input_modalities: ["image"], output_modalities: ["text"], tool_calls: 1 }]
        ],
        { architecture: { input_modalities: ["audio"], output_modalities: ["text"] } }
      )
      // What is recorded stays, whatever the catalog says later.
      await list(
        world,
        model(`${author}/m`, { architecture: { input_modalities: ["image"], output_modalities: ["image"] } })
      )
      const window = { start_date: "2025-03-15", end_date: "2025-03-15" }
      const total = async (query: Query) => own(await rank(world, { ...window, ...query }), author)[0]?.[2]
      assert.strictEqual(await total({ modality: "text" }), "11001")
      assert.strictEqual(await total({ modality: "image_output" }), "10")
      assert.strictEqual(await total({ modality: "image" }), "10")
      assert.strictEqual(await total({ modality: "audio" }), "10001")
      assert.strictEqual(await total({ modality: "tool_calling" }), "10100")
      assert.strictEqual(await total({ modality: "tool_calling", context_bucket: "1K" }), "100")
      assert.strictEqual(await total({ modality: "image", context_bucket: "10M" }), undefined)
      return rank(world, window)
    }),
    shows("context lengths by prompt tokens, each bound belonging to the lower one", async (world) => {
      const bounds = [0, 1000, 1001, 10_000, 10_001, 100_000, 100_001, 1_000_000, 1_000_001, 10_000_001]
      const author = await scene(
        world,
        ["m"],
        bounds.map((tokens) => ["2025-03-16", "m", tokens, { completion_tokens: 2_000_000 }] as const)
      )
      const window = { start_date: "2025-03-16", end_date: "2025-03-16" }
      for (const [context_bucket, expected] of Object.entries({
        "1K": 1000,
        "10K": 11_001,
        "100K": 110_001,
        "1M": 1_100_001,
        "10M": 11_000_002
      })) {
        const answer = await rank(world, { ...window, context_bucket })
        assert.deepEqual(own(answer, author), [["2025-03-16", "m", String(expected + 4_000_000)]])
      }
      return rank(world, window)
    }),
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
        assert.deepEqual(own(await rank(world, { ...window, category: "legal" }), author), [
          ["2025-05-05", "m", "1000"]
        ])
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
    shows("the first day of the dataset is the first end", (world) => rank(world, { end_date: "2025-01-01" })),
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
    }),
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
    },
    ...accessCases("getRankingsDaily", () => ({})),
    ...[
      "2025-02-30",
      "2025-2-3",
      "2025-13-01",
      "20250301",
      "2025-03-01T00:00:00Z",
      "yesterday",
      "",
      " 2025-03-01"
    ].flatMap((date) => [
      badWindow(`start ${JSON.stringify(date)}`, { start_date: date }, "query.start_date"),
      badWindow(`end ${JSON.stringify(date)}`, { end_date: date }, "query.end_date")
    ]),
    badWindow("an end before the dataset", { end_date: "2024-12-31" }, "query.end_date"),
    badWindow("a start after the end", { start_date: "2025-03-02", end_date: "2025-03-01" }, "query.start_date"),
    {
      name: "a start that has not passed yet",
      status: 400,
      run: (world) => rank(world, { start_date: dayOf(world.installation.clock.now) }),
      check: reasonIs("invalid_date_window")
    },
    bad("an unknown period", { period: "year" }, "query.period"),
    bad("an unknown modality", { modality: "video" }, "query.modality"),
    bad("an unknown context bucket", { context_bucket: "1k" }, "query.context_bucket"),
    bad("an unknown category", { category: "marketing/seo/local" }, "query.category"),
    bad("an unknown language type", { language_type: "code" }, "query.language_type"),
    bad("an empty category", { category: "" }, "query.category"),
    ...exclusive.map(([query, path]) => bad(Object.keys(query).join(" and "), query, path, "filter_combination")),
    bad("a category by day", { category: "legal", period: "day" }, "query.period", "period_unavailable"),
    bad("a language type by day", { language_type: "natural", period: "day" }, "query.period", "period_unavailable"),
    {
      name: "a parameter given twice",
      status: 400,
      run: (world) => world.call("getRankingsDaily", { query: "modality=text&modality=text" }),
      check: ({ json }) => assert.strictEqual(json.error.metadata.issues[0].path, "query.modality")
    },
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
          const answers = await Promise.all(
            Array.from({ length: count }, () => rank(world, { period: "year" }, { key }))
          )
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
    },
    storeGone("RankingsReader", 500, (world) => rank(world, {})),
    storeGone("RateLimits", 500, (world) => rank(world, {}))
  ]
}
