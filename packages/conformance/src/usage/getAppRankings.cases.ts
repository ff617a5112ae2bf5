import { assert } from "@effect/vitest"
import type { Answer, World } from "../World.ts"
import { accessCases, type CasesOf, refused, storeGone } from "../http/Case.ts"
import { dayMillis, dayOf, newHost, reportOneself, sharedLimit, use } from "./datasets/scene.ts"

type Query = Readonly<Record<string, string>>

const read = (world: World, query: Query, headers: Record<string, string> = {}) =>
  world.call("getAppRankings", { query, headers })

/** The rows whose names the case gave, as `[name, requests, tokens]`: other cases have recorded for these days, too. */
const own = (answer: Answer, hosts: readonly string[]) =>
  (answer.json.data as readonly Record<string, unknown>[])
    .filter(({ app_name }) => hosts.some((host) => String(app_name).includes(host)))
    .map(({ app_name, total_requests, total_tokens }) => [app_name, total_requests, total_tokens])

const bad = (name: string, query: Query, path: string, reason?: string) =>
  refused("getAppRankings", name, { query }, { path, reason })

export const getAppRankings: CasesOf = {
  operation: "getAppRankings",
  cases: [
    {
      name: "apps by tokens, under their last name, with aliases merged; each keeps its number",
      status: 200,
      run: async (world) => {
        const [small, big] = [newHost(), newHost()]
        await use(
          world,
          big,
          ["2025-04-01", 1_000_000_000, { completion_tokens: 5, app: `Old ${big}` }],
          ["2025-04-02T10:00:00Z", 1, { app: `New ${big}`, origin: `http://www.${big.toUpperCase()}:8080/x?y` }],
          ["2025-04-02T11:00:00Z", 1, { app: null, status: "error" }],
          ["2025-04-03", 1_000_000_000, { app: `Newest ${big}` }]
        )
        await use(world, small, ["2025-04-02", 7], ["2025-04-02", 0])
        const window = { start_date: "2025-04-01", end_date: "2025-04-02" }
        const answer = await read(world, window)
        assert.deepEqual(own(answer, [small, big]), [
          [`New ${big}`, 3, "1000000007"],
          [small, 2, "7"]
        ])
        assert.deepInclude(answer.json.meta, { ...window, version: "v1" })
        const ranks = (answer.json.data as readonly { rank: number }[]).map(({ rank }) => rank)
        assert.deepEqual(
          ranks,
          [...ranks.keys()].map((index) => index + 1)
        )
        const ids = (one: Answer) =>
          Object.fromEntries(
            (one.json.data as readonly { app_name: string; app_id: number }[]).map(({ app_name, app_id }) => [
              app_name.replace("New ", ""),
              app_id
            ])
          )
        const first = ids(answer)
        assert.strictEqual(new Set(Object.values(first)).size, ranks.length)
        const second = ids(
          await world.call("getAppRankings", {
            key: world.managementKey,
            query: { ...window, start_date: "2025-04-02" }
          })
        )
        assert.strictEqual(second[big], first[big])
        assert.strictEqual(second[small], first[small])
        return answer
      }
    },
    {
      name: "neither what has no public origin nor what an account tells of itself",
      status: 200,
      run: async (world) => {
        const host = newHost()
        const hidden = [
          null,
          "",
          host,
          `ftp://${host}`,
          `https://${host}@10.0.0.1`,
          `https://${host}.local`,
          "http://127.0.0.1:80"
        ]
        await use(
          world,
          host,
          ["2025-04-05", 3],
          ...hidden.map((origin): [string, number, Record<string, unknown>] => [
            "2025-04-05",
            50,
            { origin, app: host }
          ])
        )
        await reportOneself(world, { created_at: "2025-04-05T12:00:00Z", origin: `https://${host}`, app: "Mine" })
        return read(world, { start_date: "2025-04-05", end_date: "2025-04-05", limit: "100" })
      },
      check: (answer) => {
        const rows = answer.json.data as readonly { app_name: string; total_tokens: string }[]
        assert.deepEqual(
          rows.filter(({ total_tokens }) => total_tokens === "3").map(({ app_name }) => app_name.endsWith(".example")),
          [true]
        )
        assert.isEmpty(rows.filter(({ app_name }) => app_name === "Mine" || app_name.endsWith(".local")))
      }
    },
    {
      name: "trending: what grew beyond the average of the three windows before",
      status: 200,
      run: async (world) => {
        const [grown, steady, fresh] = [newHost(), newHost(), newHost()]
        const at = (host: string, tokens: readonly number[]) =>
          use(
            world,
            host,
            ...tokens.map((count, index): [string, number] => [
              dayOf(Date.parse("2025-05-01") + index * dayMillis),
              count
            ])
          )
        // Windows of two days: 1 to 2, 3 to 4 and 5 to 6 are before 7 to 8.
        await at(grown, [30, 0, 0, 30, 30, 0, 20, 11])
        await at(steady, [0, 0, 0, 30, 0, 0, 5, 5])
        await at(fresh, [0, 0, 0, 0, 0, 0, 0, 2])
        const window = { start_date: "2025-05-07", end_date: "2025-05-08" }
        const popular = await read(world, window)
        assert.deepEqual(own(popular, [grown, steady, fresh]), [
          [grown, 2, "31"],
          [steady, 2, "10"],
          [fresh, 2, "2"]
        ])
        const trending = await read(world, { ...window, sort: "trending" })
        assert.deepEqual(own(trending, [grown, steady, fresh]), [
          [fresh, 2, "2"],
          [grown, 2, "31"]
        ])
        return trending
      }
    },
    {
      name: "by category: all tokens of the apps that named it within the window",
      status: 200,
      run: async (world) => {
        const [cli, game] = [newHost(), newHost()]
        await use(
          world,
          cli,
          ["2025-04-08", 5, { app_categories: ["cli-agent", "made-up"] }],
          ["2025-04-08", 2],
          ["2025-04-09", 1, { app_categories: ["game"] }]
        )
        await use(world, game, ["2025-04-08", 9, { app_categories: ["game"] }])
        const window = { start_date: "2025-04-08", end_date: "2025-04-08" }
        const of = async (query: Query) => own(await read(world, { ...window, ...query }), [cli, game])
        assert.deepEqual(await of({ category: "coding" }), [[cli, 3 - 1, "7"]])
        assert.deepEqual(await of({ subcategory: "cli-agent", category: "coding" }), [[cli, 2, "7"]])
        assert.deepEqual(await of({ category: "entertainment" }), [[game, 1, "9"]])
        assert.deepEqual(await of({ subcategory: "ide-extension" }), [])
        return read(world, { ...window, subcategory: "game" })
      }
    },
    {
      name: "a page, whose ranks are those of the whole ranking",
      status: 200,
      run: async (world) => {
        for (const tokens of [3, 2, 1]) await use(world, newHost(), ["2025-04-15", tokens])
        const window = { start_date: "2025-04-15", end_date: "2025-04-15" }
        const all = await read(world, { ...window, offset: "null" })
        const page = await read(world, { ...window, limit: "1", offset: "1" })
        assert.deepEqual(page.json.data, all.json.data.slice(1, 2))
        assert.strictEqual(page.json.data[0].rank, 2)
        return page
      }
    },
    {
      name: "what the caller has already",
      status: 304,
      run: async (world) => {
        const host = newHost()
        await use(world, host, ["2025-04-20", 1])
        const window = { start_date: "2025-04-20", end_date: "2025-04-20" }
        const first = await read(world, window)
        const etag = first.headers.get("etag") ?? ""
        assert.match(etag, /^"[0-9a-f]{64}"$/)
        world.installation.clock.now += 1_000
        await use(world, host, ["2025-04-20", 1])
        const changed = await read(world, window, { "if-none-match": etag })
        assert.strictEqual(changed.status, 200)
        assert.isAbove(Date.parse(changed.json.meta.as_of), Date.parse(first.json.meta.as_of))
        return read(world, window, { "if-none-match": changed.headers.get("etag") ?? "" })
      }
    },
    ...accessCases("getAppRankings", () => ({})),
    ...["2025-02-30", "yesterday", ""].flatMap((date) => [
      bad(`start ${JSON.stringify(date)}`, { start_date: date }, "query.start_date", "invalid_date_window"),
      bad(`end ${JSON.stringify(date)}`, { end_date: date }, "query.end_date", "invalid_date_window")
    ]),
    bad("an end before the dataset", { end_date: "2024-12-31" }, "query.end_date", "invalid_date_window"),
    bad("a group that is unknown", { category: "legal" }, "query.category"),
    bad("a category that is unknown", { subcategory: "coding" }, "query.subcategory"),
    bad(
      "a category of another group",
      { category: "creative", subcategory: "game" },
      "query.subcategory",
      "filter_combination"
    ),
    bad("an unknown order", { sort: "newest" }, "query.sort"),
    ...["0", "101", "1.5", "'; drop table gatewarden_app_cell", "9".repeat(400)].map((limit) =>
      bad(`limit ${limit.slice(0, 40)}`, { limit }, "query.limit")
    ),
    ...["-1", "101"].map((offset) => bad(`offset ${offset}`, { offset }, "query.offset")),
    sharedLimit("getAppRankings"),
    storeGone("DatasetsReader", 500, (world) => read(world, {}))
  ]
}
