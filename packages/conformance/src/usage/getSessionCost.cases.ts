import type { SessionCost } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { accessCases, type CasesOf, refused, storeGone } from "../http/Case.ts"
import { list, model, newAuthor } from "../model/catalog.ts"
import { dayMillis, dayOf, newHost, reportOneself, sharedLimit, use } from "./datasets/scene.ts"

type Query = Readonly<Record<string, string>>

const read = (world: World, query: Query, headers: Record<string, string> = {}) =>
  world.call("getSessionCost", { query, headers })

/** The Monday of the last whole week. */
const lastMonday = (world: World): number => {
  const today = Date.parse(dayOf(world.installation.clock.now))
  return today - ((new Date(today).getUTCDay() + 6) % 7) * dayMillis - 7 * dayMillis
}

/** Sessions of so many turns each: all turns but the first cost nothing, and the first of session n costs n dollars. */
const sessions = async (
  world: World,
  host: string,
  count: number,
  turns: number,
  fields: Readonly<Record<string, unknown>>,
  at = dayOf(lastMonday(world))
) => {
  const name = crypto.randomUUID()
  await use(
    world,
    host,
    ...Array.from({ length: count * turns }, (_, index): [string, number, Record<string, unknown>] => [
      at,
      1,
      {
        session_id: `${name} ${index % count}`,
        cost_usd: index < count ? String(index + 1) : "0",
        ...fields
      }
    ])
  )
}

const bad = (name: string, query: Query, path: string) => refused("getSessionCost", name, { query }, { path })

export const getSessionCost: CasesOf = {
  operation: "getSessionCost",
  cases: [
    {
      name: "the median of each app, public model and range of turns; five sessions at least",
      status: 200,
      run: async (world) => {
        const [author, host] = [newAuthor(), newHost()]
        await list(world, model(`${author}/a`), model(`${author}/b`), model(`${author}/hidden`, { public: false }))
        const of = (slug: string) => ({ model: `${author}/${slug}`, app: "Named" })
        await sessions(world, host, 5, 1, of("a"))
        await sessions(world, host, 6, 2, of("a:free"))
        await sessions(world, host, 4, 10, of("a"))
        await sessions(world, host, 5, 50, { ...of("b"), byok_cost_usd: "0.5", app: null })
        await sessions(world, host, 5, 1, of("hidden"))
        await sessions(world, host, 5, 1, of("unlisted"))
        const cell = (slug: string, turn_range: string, median_session_cost_usd: number) => ({
          app_slug: host,
          app_name: "Named",
          model_permaslug: `${author}/${slug}`,
          turn_range,
          median_session_cost_usd
        })
        const expected = [cell("a", "1-turn", 3), cell("a:free", "2-9-turns", 3), cell("b", "50-plus-turns", 28)]
        // Twice, as the first may have summed the week for the second.
        for (let time = 0; time < 2; time++)
          assert.deepEqual<unknown>((await read(world, { app_slug: host })).json.data, expected)
        const asked = async (query: Query) => (await read(world, { app_slug: host, ...query })).json.data as unknown
        assert.deepEqual(await asked({ model: `${author}/a:free` }), expected.slice(1, 2))
        assert.deepEqual(await asked({ turn_range: "50-plus-turns" }), expected.slice(2))
        assert.deepEqual(await asked({ limit: "1", offset: "1" }), expected.slice(1, 2))
        assert.deepEqual(await asked({ model: "x'; --" }), [])
        const everywhere = await read(world, { model: `${author}/a` })
        assert.deepEqual<unknown>(everywhere.json.data, expected.slice(0, 1))
        const { meta } = everywhere.json
        assert.strictEqual(meta.window_days, 7)
        assert.strictEqual(meta.window_end_date, dayOf(lastMonday(world) + 6 * dayMillis))
        // A fifth session comes late.
        await sessions(world, host, 1, 10, of("a"))
        assert.lengthOf((await asked({})) as unknown[], 4)
        return read(world, { app_slug: host })
      }
    },
    {
      name: "sessions are of one app, of the last whole week, and of what the operator recorded",
      status: 200,
      run: async (world) => {
        const [author, host] = [newAuthor(), newHost()]
        await list(world, model(`${author}/a`))
        const fields = { model: `${author}/a` }
        const monday = lastMonday(world)
        await sessions(world, host, 5, 1, fields, dayOf(monday - dayMillis))
        await sessions(world, host, 5, 1, fields, dayOf(monday + 7 * dayMillis))
        await sessions(world, host, 4, 1, fields)
        await sessions(world, host, 5, 1, { ...fields, session_id: null })
        await reportOneself(world, {
          ...fields,
          origin: `https://${host}`,
          session_id: "mine",
          created_at: new Date(monday).toISOString()
        })
        assert.isEmpty((await read(world, { app_slug: host })).json.data)
        // One of another app, and the fifth of this one.
        const others = [newHost(), host]
        for (const app of others)
          await use(world, app, [
            dayOf(monday + 6 * dayMillis),
            1,
            { ...fields, session_id: "of both", cost_usd: "100" }
          ])
        return read(world, { model: `${author}/a` })
      },
      check: ({ json }) => {
        assert.lengthOf(json.data, 1)
        assert.deepEqual(json.data[0].median_session_cost_usd, 3)
      }
    },
    {
      name: "of several accounts each counts once, and five at least: none reads a session of another",
      status: 200,
      run: async (world) => {
        const [author, host] = [newAuthor(), newHost()]
        await list(world, model(`${author}/a`))
        const fields = { model: `${author}/a` }
        const day = dayOf(lastMonday(world))
        const spend = (of: World, session_id: string, cost_usd: string) =>
          use(of, host, [day, 1, { ...fields, session_id, cost_usd }])
        const shown = async () =>
          (await read(world, { app_slug: host })).json.data.map((cell: SessionCost) => cell.median_session_cost_usd)
        const victim = await world.other()
        await spend(victim, "same name", "1.000000001")
        // Two below and three above would place the median at the session of the victim.
        for (const [index, cost] of ["0", "0", "100", "100", "100"].entries())
          await spend(world, index === 0 ? "same name" : `own ${index}`, cost)
        assert.isEmpty(await shown())
        for (const cost of ["2", "3"]) await spend(await world.other(), "same name", cost)
        assert.isEmpty(await shown())
        await spend(await world.other(), "same name", "4")
        assert.deepEqual(await shown(), [3])
        // However many sessions it has, it counts once.
        for (let count = 0; count < 20; count++) await spend(world, `more ${count}`, "0")
        assert.deepEqual(await shown(), [2])
        return read(world, { app_slug: host })
      }
    },
    {
      name: "no window when there is nothing to show",
      status: 200,
      run: async (world) => {
        // A week that nobody recorded anything in.
        world.installation.clock.now += 14 * dayMillis
        return read(world, {})
      },
      check: ({ json }) => {
        assert.isEmpty(json.data)
        assert.deepInclude(json.meta, { window_days: null, window_end_date: null, version: "v1" })
      }
    },
    {
      name: "what the caller has already",
      status: 304,
      run: async (world) => {
        const etag = (await read(world, {})).headers.get("etag") ?? ""
        assert.match(etag, /^"[0-9a-f]{64}"$/)
        return read(world, {}, { "if-none-match": etag })
      }
    },
    ...accessCases("getSessionCost", () => ({})),
    bad("an unknown range", { turn_range: "3-turns" }, "query.turn_range"),
    bad("an empty app", { app_slug: "" }, "query.app_slug"),
    bad("a model name that is too long", { model: "m".repeat(257) }, "query.model"),
    ...["0", "501"].map((limit) => bad(`limit ${limit}`, { limit }, "query.limit")),
    ...["-1", "5001"].map((offset) => bad(`offset ${offset}`, { offset }, "query.offset")),
    sharedLimit("getSessionCost"),
    storeGone("DatasetsReader", 500, (world) => read(world, {}))
  ]
}
