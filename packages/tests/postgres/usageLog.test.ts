/** What only a database can get wrong when usage is recorded: locks, and the parts of imports that nobody finishes. */
import { PgClient } from "@effect/sql-pg"
import { type AccountEvents, StoreUnavailable, type UsageEvent, UsageLog } from "@gatewarden/core/store"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, ManagedRuntime, Redacted, References, Stream } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { inject } from "vitest"
import { createDatabase } from "@gatewarden/testkit/stores/postgresServer"
import { emptyEvent } from "@gatewarden/conformance/internal/usage/emptyEvent"
import { layerPostgres } from "../../postgres/src/connection/layerPostgres.ts"
import { AnalyticsSql } from "../../postgres/src/statements/AnalyticsSql.ts"
import { layerStore } from "../../postgres/src/store/layerStore.ts"

const runtime = ManagedRuntime.make(
  layerStore.pipe(
    Layer.provideMerge(
      Layer.unwrap(
        Effect.map(
          Effect.promise(() => createDatabase(inject("postgres"))),
          (url) => layerPostgres({ url: Redacted.make(url) })
        )
      )
    ),
    Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "None"))
  )
)
afterAll(() => runtime.dispose())

const events = (...ids: readonly string[]): readonly UsageEvent[] =>
  ids.map((id) => ({
    ...emptyEvent,
    id,
    created_at: "2026-03-04T11:00:00.000Z",
    recorded_at: "2026-03-04T11:00:00.000Z",
    model: "acme/sonnet"
  }))

const staged = (sql: SqlClient.SqlClient) => sql`
  select (select count(*) from gatewarden_usage_batch) as batches, (select count(*) from gatewarden_usage_staging) as rows`

/** Records two chunks; `before` runs when the first is staged and the stream has ended. */
const recordInParts = (account_id: string, before: Effect.Effect<unknown, unknown, UsageLog>) =>
  Effect.flatMap(UsageLog, (log) =>
    log.record(
      account_id,
      Stream.make(events("a"), events("b")).pipe(
        Stream.concat(
          Stream.fromEffect(Effect.as(Effect.orDie(Effect.provideService(before, UsageLog, log)), events("c")))
        )
      )
    )
  )

describe("recording usage on PostgreSQL", () => {
  it("keeps one plan for statements of few events, instead of making one for each", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const log = yield* UsageLog
      const account_id = crypto.randomUUID()
      const record = (id: number) => log.record(account_id, Stream.make(events(`planned ${id}`)))
      // PostgreSQL makes five plans for the values that it gets, and then decides.
      for (let id = 0; id < 12; id++) yield* record(id)
      const plans = yield* sql<{ generic: number; custom: number }>`
        select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements
        where statement ilike '%with ordinality as sent%gatewarden_usage_event%' and generic_plans + custom_plans >= 12`
      assert.deepStrictEqual(plans, [{ generic: 7, custom: 5 }])
    }).pipe(
      Effect.provide(
        layerStore.pipe(
          Layer.provideMerge(AnalyticsSql.layerSame),
          Layer.provideMerge(
            Layer.unwrap(
              Effect.map(
                Effect.promise(() => createDatabase(inject("postgres"))),
                (url) => PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })
              )
            )
          ),
          Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "None"))
        )
      ),
      Effect.scoped,
      Effect.runPromise
    ))

  it("takes rows in the order of ids, so that imports do not block each other", () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const log = yield* UsageLog
        const account = crypto.randomUUID()
        const insert = (id: string) => sql`
          insert into gatewarden_usage_id (created_at, key)
          values (now(), gatewarden_usage_key(${account}, ${id}))`
        const waiting = Effect.repeat(
          sql`select 1 from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`,
          { until: (rows) => rows.length > 0 }
        )
        const begun = yield* Deferred.make<void>()
        const other = yield* Effect.forkChild(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* insert("m")
              yield* Deferred.succeed(begun, undefined)
              yield* waiting
              yield* insert("z")
            })
          )
        )
        yield* Deferred.await(begun)
        const filler = Array.from({ length: 200 }, (_, index) => `y${index}`)
        const recorded = yield* log.record(account, Stream.succeed(events("z", ...filler, "m", "a")))
        yield* Fiber.join(other)
        assert.deepStrictEqual(recorded, { accepted: 201, duplicates: 2 })
      })
    ))

  it("compares each event of a long import with its own row, not with each", () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const log = yield* UsageLog
        const account_id = crypto.randomUUID()
        const one = { destinations: [crypto.randomUUID()], sealed_bodies: null, sealed_content: null }
        const chunk = (from: number): readonly AccountEvents[] => {
          const long = events(...Array.from({ length: 300 }, (_, at) => `long ${from + at}`))
          return [{ account_id, events: long, selected: new Map(long.map((event) => [event, one])) }]
        }
        let plan = ""
        // The plan is that of a run, which moves the events: the statement itself then finds none, and nothing is recorded.
        const explaining: Statement.Transformer = (statement) => {
          const [text, values] = statement.compile()
          if (!text.includes("delete from gatewarden_usage_staging") || !text.includes("gatewarden_delivery"))
            return Effect.succeed(statement)
          return sql
            .unsafe<{ "QUERY PLAN": unknown }>(`explain (analyze, timing off, format json) ${text}`, values)
            .pipe(
              Effect.provideService(Statement.CurrentTransformer, undefined),
              Effect.orDie,
              Effect.map((rows) => {
                plan = JSON.stringify(rows)
                return statement
              })
            )
        }
        yield* Effect.exit(
          Effect.provideService(
            log.recordAll(Stream.make(chunk(0), chunk(300))),
            Statement.CurrentTransformer,
            explaining
          )
        )
        const removed = [...plan.matchAll(/"Rows Removed by (?:Join )?Filter":(\d+),"?/g)].map(([, rows]) =>
          Number(rows)
        )
        assert.include(plan, "gatewarden_delivery")
        assert.isAtMost(Math.max(0, ...removed), 600)
      })
    ))

  it("leaves nothing staged behind, whether an import ends, fails or is given up", () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* recordInParts(crypto.randomUUID(), Effect.void)
        yield* Effect.exit(recordInParts(crypto.randomUUID(), Effect.fail("broke off")))
        const reached = yield* Deferred.make<void>()
        const given = yield* Effect.forkChild(
          recordInParts(crypto.randomUUID(), Effect.andThen(Deferred.succeed(reached, undefined), Effect.never))
        )
        yield* Deferred.await(reached)
        assert.deepStrictEqual(yield* staged(sql), [{ batches: 1n, rows: 1n }])
        yield* Fiber.interrupt(given)
        assert.deepStrictEqual(yield* staged(sql), [{ batches: 0n, rows: 0n }])
      })
    ))

  it("forgets what a process left behind that died", () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* recordInParts(
          crypto.randomUUID(),
          Effect.gen(function* () {
            // Another import begins meanwhile: it takes nothing from one that goes on.
            yield* recordInParts(crypto.randomUUID(), Effect.void)
            yield* sql`
              with batch as (
                insert into gatewarden_usage_batch (id, touched_at) values (gen_random_uuid(), now() - interval '61 minutes') returning id
              )
              insert into gatewarden_usage_staging
                select staged.* from batch, gatewarden_usage_event event, jsonb_populate_record(
                  null::gatewarden_usage_staging, to_jsonb(event) || jsonb_build_object('batch_id', batch.id, 'position', 1)
                ) staged limit 1`
            assert.deepStrictEqual(yield* staged(sql), [{ batches: 2n, rows: 2n }])
            yield* recordInParts(crypto.randomUUID(), Effect.void)
            assert.deepStrictEqual(yield* staged(sql), [{ batches: 1n, rows: 1n }])
          })
        )
      })
    ))

  it("records nothing of an import whose staged part was lost", () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const account = crypto.randomUUID()
        const exit = yield* Effect.exit(
          recordInParts(account, sql`truncate gatewarden_usage_staging, gatewarden_usage_batch`)
        )
        const defect = Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isDieReason)?.defect : undefined
        assert.instanceOf(defect, StoreUnavailable)
        assert.deepStrictEqual(yield* sql`select 1 from gatewarden_usage_event where account_id = ${account}`, [])
      })
    ))
})
