/**
 * A page of an export is read without the events around it; what a key used, and what is said of a model's endpoints, is read without the
 * events that it comes from, however many there are.
 *
 * PostgreSQL counts the rows that it reads of each table; sessions report them when they end.
 */
import { assert, it } from "@effect/vitest"
import {
  EndpointStatisticsReader,
  type EventFilter,
  Generations,
  KeyUsageReader,
  Retention,
  type StorePorts,
  UsageHistory
} from "@gatewarden/core/store"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { Effect, Option, Redacted } from "effect"
import { inject } from "vitest"
import { account, keyHash, seedEvents } from "../../bench/src/growth/seedRows.ts"
import { sessionsEnded } from "@gatewarden/testkit/stores/sessionsEnded"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { ofTable, opensDays } from "@gatewarden/testkit/stores/usageTables"
import { execute } from "@gatewarden/testkit/stores/postgresServer"

/** A database with two thousand events of three months, and what runs effects of the store on it. */
const seeded = async () => {
  const url = await createMigratedDatabase(inject("postgres"))
  const within = <A>(work: Effect.Effect<A, never, StorePorts>): Promise<A> =>
    Effect.runPromise(
      Effect.scoped(Effect.provide(work, layerPostgresStore({ url: Redacted.make(url), notifications: false })))
    )
  await within(Effect.void)
  await execute(url, ...seedEvents(2_000, 10), "analyze")
  // Tables as small as these would be read whole.
  await execute(url, `alter database ${new URL(url).pathname.slice(1)} set enable_seqscan = off`)
  /** Rows that were read of a table until now. */
  const read = async (table: string) => {
    await sessionsEnded(url)
    const [row] = await execute(
      url,
      `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_user_tables where ${ofTable(table)}`
    )
    return Number(row?.["read"])
  }
  return { url, within, read }
}

it("reads no event for a model's endpoints, and a row an hour of what was summed", async () => {
  const { url, within, read } = await seeded()
  // As many again of one day, most of another model.
  await execute(
    url,
    `insert into gatewarden_usage_event select (e).* from (
      select json_populate_record(e, json_build_object(
        'id', gen_random_uuid(), 'recorded_at', now(), 'model', case when n % 10 = 0 then 'acme/model-1' else 'acme/other' end,
        'created_at', now() - n * interval '40 seconds'
      )) as e
      from (select e, row_number() over (order by id) as n from gatewarden_usage_event e) numbered
    ) copied`
  )
  const query = {
    slug: "acme/model-1",
    variants: { included: [""], listed: [""], others: true },
    endpoints: ["openai", "anthropic"].map((provider_slug) => ({ tag: provider_slug, provider_slug })),
    now: Date.now()
  }
  const measure = Effect.flatMap(EndpointStatisticsReader, (reader) => reader.measure(query))
  const unsummed = await within(measure)
  assert.isNotNull(unsummed[0]?.latency_last_30m ?? null)
  await within(
    Effect.flatMap(Retention, (retention) =>
      Effect.repeat(retention.measureEndpoints(1_000), { while: (done) => done > 0 })
    )
  )
  await execute(url, "analyze")
  const before = { events: await read("gatewarden_usage_event"), spans: await read("gatewarden_measured_span") }
  assert.deepEqual(await within(measure), unsummed)
  assert.strictEqual(await read("gatewarden_usage_event"), before.events)
  // Two providers: 25 hours, and less than two of them in minutes, of which every tenth event has another; those are read for latencies, too.
  assert.isAtMost((await read("gatewarden_measured_span")) - before.spans, 2 * 25 + 40)
})

it("reads no event to tell what a key used", async () => {
  const { url, within, read } = await seeded()
  const [{ hash } = { hash: "" }] = (await execute(url, `select ${keyHash(1)} as hash`)) as readonly { hash: string }[]
  const before = { events: await read("gatewarden_usage_event"), sums: await read("gatewarden_spent") }
  const usage = await within(Effect.flatMap(KeyUsageReader, (reader) => reader.usageOf(account, [hash])))
  assert.strictEqual(await read("gatewarden_usage_event"), before.events)
  // Of three months: at most 62 days, and what was before.
  assert.isAtMost((await read("gatewarden_spent")) - before.sums, 63)
  const [expected] = await execute(
    url,
    `select sum(cost_nanos)::text as nanos from gatewarden_usage_event where api_key_hash = '${hash}'`
  )
  assert.strictEqual(`${usage.get(hash)?.credits.total}`, expected?.["nanos"])
})

it("reads one event to find it by its id", async () => {
  const { within, read } = await seeded()
  const before = await read("gatewarden_usage_event")
  const found = await within(Effect.flatMap(Generations, (port) => port.find(account, "event 1000")))
  assert.strictEqual(Option.getOrThrow(found).id, "event 1000")
  assert.isAtMost((await read("gatewarden_usage_event")) - before, 1)
})

it("reads the events of a page for it, and examines no more than it may", async () => {
  const { url, within, read } = await seeded()
  // One instant for half of them: the place in an order by time alone would not be found.
  await execute(
    url,
    opensDays("2026-01-01"),
    "update gatewarden_usage_event set created_at = '2026-01-01' where right(id, 1) < '5'",
    "analyze"
  )
  const filter = { start: undefined, end: "2100-01-01T00:00:00.000Z", equal: {}, tag: undefined }
  const place = { created_at: "2026-01-01T00:00:00.000Z", id: "event 1500" }
  const page = (filter: EventFilter, limit: number, examined: number) =>
    within(
      Effect.flatMap(UsageHistory, (history) =>
        Effect.gen(function* () {
          const { last, goesOn } = yield* history.pageAfter(account, filter, place, { limit, examined })
          const events = yield* history.eventsBetween(account, filter, place, last)
          return { ids: events.map(({ id }) => id), last: last.id, goesOn }
        })
      )
    )
  const before = await read("gatewarden_usage_event")
  const { ids, last, goesOn } = await page(filter, 3, 100)
  assert.isTrue(goesOn)
  assert.deepEqual(ids, ["event 1501", "event 1502", "event 1503"])
  assert.strictEqual(last, "event 1503")
  // Of two thousand: some for the end of the page, which another event tells, and the events themselves.
  assert.isAtMost((await read("gatewarden_usage_event")) - before, 20)
  const rare = { ...filter, equal: { user_id: "nobody" } }
  assert.deepEqual(await page(rare, 3, 4), { ids: [], last: "event 1504", goesOn: true })
  assert.deepEqual(await page(rare, 3, 10_000), { ids: [], last: "", goesOn: false })
})
