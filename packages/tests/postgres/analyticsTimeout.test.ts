/** A query that runs too long is answered in time, and on PostgreSQL nothing is left running. Rule: analytics#timeouts. */
import { AnalyticsQuery } from "@gatewarden/contract/internal"
import { AnalyticsTimeout, UsageHistory, UsageLog, type Caller, queryAnalytics } from "@gatewarden/core/internal"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, ManagedRuntime, Redacted, References, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { layerAnalyticsSlots } from "../../core/src/usage/analytics/AnalyticsSlots.ts"
import { createMigratedDatabase, migratedSnapshot } from "@gatewarden/testkit/stores/migratedDatabases"
import { withoutFirstCancel } from "@gatewarden/testkit/stores/withoutFirstCancel"
import { emptyEvent } from "@gatewarden/conformance/internal/usage/emptyEvent"
import { layerPostgres } from "../../postgres/src/connection/layerPostgres.ts"
import { AnalyticsSql } from "../../postgres/src/statements/AnalyticsSql.ts"
import { layerPgliteClients, layerStore } from "../../postgres/src/store/layerStore.ts"

const engines = {
  PostgreSQL: Layer.unwrap(
    Effect.map(
      Effect.promise(() => createMigratedDatabase(inject("postgres"))),
      (url) => layerPostgres({ url: Redacted.make(url) })
    )
  ),
  PGlite: layerPgliteClients({ dataDir: undefined, snapshot: await migratedSnapshot(inject("pgliteSnapshot")) })
}

const account_id = crypto.randomUUID()
const caller: Caller = {
  account_id,
  key_hash: "",
  kind: "management",
  workspace_id: null,
  default_workspace_id: null,
  user_id: null,
  is_operator: false,
  restrictions: null
}
const query = queryAnalytics(caller, AnalyticsQuery.parse({ metrics: ["request_count"] }))
const answer = Effect.map(query, ({ data }) => data)

/** From now on every read of events takes that long. */
const slowDown = (sql: SqlClient.SqlClient, seconds: number) =>
  Effect.gen(function* () {
    yield* sql`alter table gatewarden_usage_event rename to kept_event`
    yield* sql.unsafe(`create view gatewarden_usage_event as select kept_event.* from kept_event, pg_sleep(${seconds})`)
  })
const speedUp = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    yield* sql`drop view gatewarden_usage_event`
    yield* sql`alter table kept_event rename to gatewarden_usage_event`
  })

const active = (sql: SqlClient.SqlClient) => sql`
  select query from pg_stat_activity
  where datname = current_database() and application_name like '% analytics' and state = 'active'`

describe.each(Object.entries(engines))("a query that runs too long on %s", (name, engine) => {
  const runtime = ManagedRuntime.make(
    Layer.merge(layerStore, layerAnalyticsSlots).pipe(
      Layer.provideMerge(engine),
      Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "None"))
    )
  )
  beforeAll(() =>
    runtime.runPromise(
      Effect.gen(function* () {
        const now = new Date().toISOString()
        const event = { ...emptyEvent, id: "event", model: "acme/sonnet", created_at: now, recorded_at: now }
        yield* (yield* UsageLog).record(account_id, Stream.succeed([event]))
      })
    )
  )
  afterAll(() => runtime.dispose())

  it("is answered in time, and the next one succeeds", { tags: ["deep"] }, () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* answer, [{ request_count: 1 }])

        const seconds = name === "PostgreSQL" ? 600 : 5
        yield* slowDown(sql, seconds)
        const began = performance.now()
        const failure = yield* Effect.flip(Effect.provideService(query, AnalyticsTimeout, 300))
        const took = performance.now() - began
        assert.deepInclude(failure, { _tag: "TimedOut", status: 408, reason: "analytics_timeout" })
        assert.isBelow(took, 4500)

        if (name === "PostgreSQL") {
          yield* Effect.repeat(active(sql), { until: (rows) => rows.length === 0 })
          // A caller that hangs up ends it as well.
          const given = yield* Effect.forkChild(query)
          yield* Effect.repeat(active(sql), { until: (rows) => rows.length > 0 })
          yield* Fiber.interrupt(given)
          yield* Effect.repeat(active(sql), { until: (rows) => rows.length === 0 })
        }
        yield* speedUp(sql)
        assert.deepStrictEqual(yield* answer, [{ request_count: 1 }])
      })
    )
  )

  if (name === "PostgreSQL")
    it("is no short read: an export has a connection of analytics, too, and ends there", () =>
      runtime.runPromise(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* slowDown(sql, 600)
          const history = yield* UsageHistory
          const end = new Date(Date.now() + 1_000).toISOString()
          const filter = { start: undefined, end, equal: {}, tag: undefined }
          const reads = [
            history.pageAfter(account_id, filter, undefined, { limit: 1, examined: 10 }),
            history.eventsBetween(account_id, filter, undefined, { created_at: end, id: "" }),
            history.after(account_id, { start: "2026-01-01T00:00:00.000Z", end }, undefined, 1)
          ]
          for (const read of reads) {
            const given = yield* Effect.forkChild(read)
            yield* Effect.repeat(active(sql), { until: (rows) => rows.length > 0 })
            yield* Fiber.interrupt(given)
            // It would run for minutes; PostgreSQL ends it a moment after it is told to.
            yield* Effect.repeat(active(sql), { until: (rows) => rows.length === 0 })
          }
          yield* speedUp(sql)
        })
      ))
})

it("a long read that is given up ends, also where the first request to end it is lost", async () => {
  const way = await withoutFirstCancel(await createMigratedDatabase(inject("postgres")))
  const program = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const long = yield* AnalyticsSql
    const given = yield* Effect.forkChild(long`select pg_sleep(600)`)
    yield* Effect.repeat(active(sql), { until: (rows) => rows.length > 0 })
    yield* Fiber.interrupt(given)
    yield* Effect.repeat(active(sql), { until: (rows) => rows.length === 0 })
    assert.isAbove(way.requests(), 1)
    // What is still on its way ends nothing else.
    assert.deepStrictEqual(yield* long`select pg_sleep(0.1), 1 as one`, [{ pg_sleep: "", one: 1 }])
  })
  await Effect.runPromise(Effect.provide(program, layerPostgres({ url: Redacted.make(way.url) })))
  way.close()
})
