/** A migration while servers admit and settle: no request fails. Rule: operating#migrations. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { type Budget, BudgetLedger } from "@gatewarden/core/store"
import { Effect, Exit, Fiber, Layer, Logger, Redacted, References } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { spendingEvent } from "@gatewarden/conformance/internal/usage/spendingEvent"
import { layerPostgres } from "../../postgres/src/connection/layerPostgres.ts"
import { layerStore } from "../../postgres/src/store/layerStore.ts"
import { migrate, migrationStatus } from "../../postgres/src/migrations/migrate.ts"
import type { Migration, Schema } from "../../postgres/src/migrations/Migration.ts"
import { schema } from "../../postgres/src/migrations/schema.ts"
import { emptyEngines } from "./emptyEngines.ts"

const column: Migration = {
  id: 2,
  name: "one_column",
  sql: "alter table gatewarden_hold add column one_column text collate \"C\" not null default 'none'"
}

const index: Migration = {
  id: 3,
  name: "one_index",
  index: "gatewarden_hold_one_column",
  sql: "create index concurrently if not exists gatewarden_hold_one_column on gatewarden_hold (account_id, one_column)"
}

const next: Schema = { ...schema, migrations: [...schema.migrations, column, index] }

const quiet = Layer.succeed(References.MinimumLogLevel, "None")

const account_id = crypto.randomUUID()
const workspace_id = crypto.randomUUID()
const key = "a".repeat(64)
const budget: Budget = {
  ...{ scope: "key", entity: key, guardrail_id: null, interval: "daily" },
  ...{ limit_nanos: 10n ** 15n, include_byok: false }
}

/** Admits a request and settles it. */
const request = Effect.gen(function* () {
  const ledger = yield* BudgetLedger
  const id = crypto.randomUUID()
  const { held } = yield* ledger.hold(account_id, {
    ...{ admission_id: id, workspace_id, key_hash: key, user_id: "ann", hold_seconds: 60 },
    ...{ budgets: [budget], costs: [{ nanos: 2n, byok: false }] }
  })
  assert.isTrue(held)
  const settled = yield* ledger.settle(
    account_id,
    spendingEvent({
      ...{ id, created_at: new Date().toISOString(), workspace_id, api_key_hash: key, user_id: "ann" },
      cost_nanos: 1n
    })
  )
  assert.property(settled, "charges")
})

it.live("adds a column and an index under load, past a transaction that holds the table", () =>
  Effect.gen(function* () {
    const url = yield* Effect.promise(() => createMigratedDatabase(inject("postgres")))
    const store = Layer.provideMerge(layerStore, layerPostgres({ url: Redacted.make(url), writeConnections: 8 }))
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      let isOver = false
      let longest = 0
      let requests = 0
      const failures: unknown[] = []
      const load = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 8 }, () =>
            Effect.whileLoop({
              while: () => !isOver,
              body: () =>
                Effect.suspend(() => {
                  const start = performance.now()
                  return Effect.map(Effect.exit(request), (exit) => {
                    longest = Math.max(longest, performance.now() - start)
                    requests++
                    if (Exit.isFailure(exit)) failures.push(exit.cause)
                  })
                }),
              step: () => {}
            })
          ),
          { concurrency: "unbounded", discard: true }
        )
      )
      const retries: unknown[] = []
      const upgrade = migrate(next).pipe(
        Effect.provide(
          Layer.mergeAll(
            PgClient.layer({ url: Redacted.make(url), maxConnections: 2 }),
            Logger.layer([Logger.make(({ message }) => void retries.push(message))])
          ),
          { local: true }
        ),
        Effect.provideService(References.MinimumLogLevel, "Info")
      )
      const isRetried = () => JSON.stringify(retries).includes("trying again")
      const held = sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select count(*) from gatewarden_hold`
          const upgrading = yield* Effect.forkChild(upgrade, { startImmediately: true })
          while (!isRetried()) yield* Effect.sleep("20 millis")
          const [row] = yield* sql<{ n: number }>`
            select count(*)::int as n from information_schema.columns where column_name = 'one_column'`
          assert.strictEqual(row?.n, 0)
          return upgrading
        })
      )
      const result = yield* Effect.flatMap(held, Fiber.join)
      const before = requests
      yield* Effect.repeat(Effect.sleep("10 millis"), { until: () => requests >= before + 100 || failures.length > 0 })
      isOver = true
      yield* Fiber.join(load)
      assert.deepStrictEqual(failures, [])
      assert.isBelow(longest, 5_000)
      assert.deepStrictEqual(
        result.migrations.map(({ name }) => name),
        ["one_column", "one_index"]
      )
      assert.deepStrictEqual(
        yield* sql`select indisvalid as is_valid from pg_index where indexrelid = 'gatewarden_hold_one_column'::regclass`,
        [{ is_valid: true }]
      )
      // Each request cost one: none was charged twice, and none was lost.
      const [spent] = yield* sql<{ nanos: string }>`
        select sum(charged_nanos)::text as nanos from gatewarden_spent where account_id = ${account_id} and spender = 'key'`
      assert.strictEqual(Number(spent?.nanos), requests)
    }).pipe(Effect.provide(Layer.merge(store, quiet)))
  })
)

describe.each(Object.entries(emptyEngines()))("a migration on %s", (name, engine) => {
  const inDatabase = (body: Effect.Effect<void, unknown, SqlClient.SqlClient>) =>
    Effect.flatMap(engine, (layer) => Effect.provide(body, layer))
  const table: Migration = { id: 1, name: "table", sql: "create table one (a int); insert into one values (1), (1)" }
  const unique: Migration = {
    id: 2,
    name: "unique",
    index: "one_a",
    sql: "create unique index concurrently if not exists one_a on one (a)"
  }
  const later: Migration = { id: 3, name: "later", sql: "alter table one add column b int" }
  const of = (...migrations: readonly Migration[]): Schema => ({ migrations, functions: [] })
  const states = (list: Schema) => Effect.map(migrationStatus(list), (rows) => rows.map(({ state }) => state))

  it.live("makes an index anew that an earlier attempt did not finish, and applies later ones before it", () =>
    inDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const all = of(table, unique, later)
        const error = yield* Effect.flip(migrate(all))
        assert.strictEqual(error._tag, "MigrationFailed")
        assert.match(error.message, /^Migration 2 \(unique\) failed.*could not create unique index "one_a"/)
        assert.deepStrictEqual(yield* states(all), ["applied", "pending", "applied"])
        yield* sql`delete from one where ctid = (select min(ctid) from one)`
        assert.deepStrictEqual((yield* migrate(all)).migrations, [unique])
        assert.deepStrictEqual(yield* states(all), ["applied", "applied", "applied"])
        assert.deepStrictEqual(
          yield* sql`select indisvalid as is_valid from pg_index where indexrelid = 'one_a'::regclass`,
          [{ is_valid: true }]
        )
        assert.deepStrictEqual(yield* sql`show lock_timeout`, [{ lock_timeout: "0" }])
      })
    )
  )

  it.live.skipIf(name === "PGlite")(
    "gives up in time when a transaction keeps a table, names it, and keeps nothing",
    () =>
      inDatabase(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* migrate(of(table))
          const all = of(table, later)
          const error = yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`select * from one`
              const apart = Effect.flip(migrate(all, { waitFor: "1 second" }))
              const { config } = sql as PgClient.PgClient
              return yield* Effect.provide(apart, Layer.merge(PgClient.layer(config), quiet), { local: true })
            })
          )
          assert.strictEqual(error._tag, "MigrationBlocked")
          assert.match(error.message, /in \d+ attempts within \d+ ms\. The oldest open transaction: process \d+ /)
          assert.deepStrictEqual(yield* states(all), ["applied", "pending"])
        })
      )
  )
})
