import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { inject } from "vitest"
import { createDatabase } from "@gatewarden/testkit/stores/postgresServer"
import {
  migrate as migrateSchema,
  type MigrateOptions,
  migrationStatus as schemaStatus
} from "../../postgres/src/migrations/migrate.ts"
import type { Migration } from "../../postgres/src/migrations/Migration.ts"
import { compareMigrations, migrationChecksum, migrationProblem } from "../../postgres/src/migrations/Migration.ts"
import { emptyEngines, postgresEngine } from "./emptyEngines.ts"

const migrations: readonly Migration[] = [
  {
    id: 1,
    name: "initial",
    sql: `
-- one; two
create table author (id int primary key, name text not null check (name <> 'a;b'));
create function shout(word text) returns text language plpgsql as $$ begin return upper(word) || '; $sql$'; end $$;
insert into author values (1, shout('ann'));
`
  },
  {
    id: 2,
    name: "book",
    sql: "create table book (author int not null references author (id)); insert into book values (1)"
  },
  { id: 3, name: "nothing", sql: "" }
]

/** Of a schema without functions. */
const migrate = (list: readonly Migration[], options: MigrateOptions = {}) =>
  Effect.map(migrateSchema({ migrations: list, functions: [] }, options), ({ migrations }) => migrations)
const migrationStatus = (list: readonly Migration[]) => schemaStatus({ migrations: list, functions: [] })

const changed = migrations.map((migration) => ({ ...migration, sql: `${migration.sql} -- edited` }))
const failing: Migration = {
  id: 4,
  name: "failing",
  sql: "create table kept_not (id int);\n\ninsert into nowhere values (1)"
}

/** The advisory locks of this database; other tests use others on the same server. */
const advisoryLocks = (sql: SqlClient.SqlClient) => sql<{
  pid: number
  granted: boolean
}>`select pid, granted from pg_locks
  where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`

/** Sessions go back to the pool with whatever they still hold. */
const locks = Effect.flatMap(SqlClient.SqlClient, advisoryLocks)

const states = Effect.map(migrationStatus(migrations), (list) => list.map(({ state }) => state))

describe.each(Object.entries(emptyEngines()))("migrate on %s", (_, engine) => {
  const test = (name: string, body: Effect.Effect<void, unknown, SqlClient.SqlClient>) =>
    it.live(name, () => Effect.flatMap(engine, (layer) => Effect.provide(body, layer)))

  test(
    "applies what is missing, once, and tells where the database stands",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* states, ["pending", "pending", "pending"])
      assert.deepStrictEqual(yield* migrate(migrations.slice(0, 1)), migrations.slice(0, 1))
      assert.deepStrictEqual(yield* states, ["applied", "pending", "pending"])
      assert.deepStrictEqual(yield* migrate(migrations), migrations.slice(1))
      assert.deepStrictEqual(yield* migrate(migrations), [])
      assert.deepStrictEqual(yield* locks, [])
      const rows = yield* sql`select id, name, checksum from gatewarden_migration order by id`
      const expected = migrations.map((migration) => ({
        id: migration.id,
        name: migration.name,
        checksum: migrationChecksum(migration)
      }))
      assert.deepStrictEqual(rows, expected)
      assert.deepStrictEqual(yield* sql`select name from author join book on author = id`, [{ name: "ANN; $sql$" }])
      const [first] = yield* migrationStatus(migrations)
      const [applied] = yield* sql<{ at: Date }>`select date_trunc('milliseconds', applied_at) as at
        from gatewarden_migration where id = 1`
      assert.strictEqual(first?.applied_at, applied?.at.toISOString())
    })
  )

  test(
    "refuses a migration whose text changed, before it applies another",
    Effect.gen(function* () {
      yield* migrate(migrations.slice(0, 2))
      const error = yield* Effect.flip(migrate(changed))
      assert.strictEqual(error._tag, "MigrationChanged")
      assert.match(error.message, /Migration 1 \(initial\)/)
      const list = yield* migrationStatus(changed)
      assert.deepStrictEqual(
        list.map(({ state }) => state),
        ["changed", "changed", "pending"]
      )
    })
  )

  test(
    "refuses a database that a newer version has migrated",
    Effect.gen(function* () {
      yield* migrate(migrations)
      const error = yield* Effect.flip(migrate(migrations.slice(0, 1)))
      assert.strictEqual(error._tag, "DatabaseAhead")
      assert.match(error.message, /at migration 3, .* knows only 1/)
      const list = yield* migrationStatus(migrations.slice(0, 1))
      assert.deepStrictEqual(
        list.map(({ id, state }) => [id, state]),
        [
          [1, "applied"],
          [2, "unknown"],
          [3, "unknown"]
        ]
      )
    })
  )

  test(
    "refuses a database that lacks a migration before one it has",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrate(migrations)
      yield* sql`delete from gatewarden_migration where id = 2`
      assert.strictEqual((yield* Effect.flip(migrate(migrations)))._tag, "MigrationSkipped")
      assert.deepStrictEqual(yield* states, ["applied", "skipped", "applied"])
    })
  )

  test(
    "keeps nothing of a migration that fails, nor of those that were applied with it",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrate(migrations.slice(0, 1))
      const error = yield* Effect.flip(migrate([...migrations, failing]))
      assert.strictEqual(error._tag, "MigrationFailed")
      assert.match(error.message, /^Migration 4 \(failing\) failed at line 3: relation "nowhere" does not exist$/)
      assert.deepStrictEqual(yield* states, ["applied", "pending", "pending"])
      assert.deepStrictEqual(yield* sql`select to_regclass('kept_not') is null as gone`, [{ gone: true }])
      const mended = { ...failing, sql: "create table kept_not (id int)" }
      assert.deepStrictEqual(yield* migrate([...migrations, mended]), [...migrations.slice(1), mended])
    })
  )

  test(
    "does not let a migration end its transaction",
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        migrate([{ id: 1, name: "commits", sql: "create table kept_not (id int); commit" }])
      )
      assert.strictEqual(error._tag, "MigrationFailed")
      assert.deepStrictEqual(yield* states, ["pending", "pending", "pending"])
    })
  )

  test(
    "gives back the lock and the connection when it is interrupted",
    Effect.gen(function* () {
      const slow = {
        id: 1,
        name: "slow",
        sql: "create table kept_not (id int); select count(*) from generate_series(1, 3000000)"
      }
      assert.strictEqual((yield* Effect.timeoutOption(migrate([slow]), "50 millis"))._tag, "None")
      assert.deepStrictEqual(yield* states, ["pending", "pending", "pending"])
      assert.deepStrictEqual(yield* locks, [])
      assert.strictEqual((yield* migrate(migrations, { waitFor: "10 seconds" })).length, 3)
    })
  )

  it.live("dies when its list is out of order", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.provide(migrate(migrations.toReversed()), yield* engine))
      assert.match(String(exit), /Migration 2 \(book\) is out of order/)
    })
  )
})

describe("migrate on PostgreSQL from several processes", () => {
  const inDatabase = <A, E>(body: (url: string) => Effect.Effect<A, E>) =>
    Effect.flatMap(
      Effect.promise(() => createDatabase(inject("postgres"))),
      body
    )

  it.live("lets one of five that start at once apply each migration", () =>
    inDatabase((url) =>
      Effect.gen(function* () {
        const counting = migrations.map((migration) => ({
          ...migration,
          sql: `${migration.sql}; create table if not exists run (id int); insert into run values (${migration.id})`
        }))
        const results = yield* Effect.forEach(
          Array.from({ length: 5 }),
          () => Effect.provide(migrate(counting), postgresEngine(url), { local: true }),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(results.flat(), counting)
        const rows = yield* Effect.provide(
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) => sql`select id, count(*) as times from run group by id order by id`
          ),
          postgresEngine(url)
        )
        assert.deepStrictEqual(
          rows,
          [1, 2, 3].map((id) => ({ id, times: 1n }))
        )
      })
    )
  )

  const holdLock = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const connection = yield* sql.reserve
    // The keys of the runner: two that did not agree on them would not exclude each other.
    yield* connection.executeUnprepared("select pg_advisory_lock(1734440037, 1835624306)", [], undefined)
    return connection
  })

  it.live("waits no longer than it was told, and says for whom", () =>
    inDatabase((url) =>
      Effect.gen(function* () {
        yield* holdLock
        const error = yield* Effect.flip(
          Effect.provide(migrate(migrations, { waitFor: "50 millis" }), postgresEngine(url), { local: true })
        )
        assert.strictEqual(error._tag, "MigrationLockTimeout")
        assert.match(error.message, /^Waited 50 ms for .*: process \d+ \(migrate\.test\) at 127\.0\.0\.1\.$/)
      }).pipe(Effect.scoped, Effect.provide(postgresEngine(url)))
    )
  )

  it.live("goes on at once when the one that held the lock dies", () =>
    inDatabase((url) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* holdLock
        const waiter = yield* Effect.forkChild(
          Effect.provide(migrate(migrations), postgresEngine(url), { local: true })
        )
        // It asks for the lock again and again, so that no snapshot of it is in the way of an index that is made.
        yield* Effect.repeat(
          sql`select from pg_stat_activity where datname = current_database() and query like '%pg_try_advisory_lock%'
            and pid <> pg_backend_pid()`,
          { until: (rows) => rows.length > 0 }
        )
        const [holder] = yield* advisoryLocks(sql)
        yield* sql`select pg_terminate_backend(${holder?.pid})`
        assert.strictEqual((yield* Fiber.join(waiter)).length, 3)
      }).pipe(Effect.scoped, Effect.provide(postgresEngine(url)))
    )
  )

  it.live("does not wait when there is nothing to apply", () =>
    inDatabase((url) =>
      Effect.gen(function* () {
        yield* migrate(migrations)
        yield* holdLock
        const applied = Effect.provide(migrate(migrations, { waitFor: "1 millis" }), postgresEngine(url), {
          local: true
        })
        assert.deepStrictEqual(yield* applied, [])
      }).pipe(Effect.scoped, Effect.provide(postgresEngine(url)))
    )
  )

  it.live("needs no right but to read when there is nothing to apply", () =>
    inDatabase((url) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* migrate(migrations)
        const role = `reader_${new URL(url).pathname.slice(1)}`
        yield* sql.unsafe(`create role ${role} login password 'reads'`)
        yield* sql.unsafe(`grant select on gatewarden_migration, gatewarden_function to ${role}`)
        const reader = new URL(url)
        reader.username = role
        reader.password = "reads"
        const applied = yield* Effect.provide(migrate(migrations), postgresEngine(reader.href), { local: true })
        assert.deepStrictEqual(applied, [])
        yield* sql.unsafe(`drop owned by ${role}`)
        yield* sql.unsafe(`drop role ${role}`)
      }).pipe(Effect.provide(postgresEngine(url)))
    )
  )
})

describe("compareMigrations", () => {
  const known = migrations.map((migration) => ({ ...migration, checksum: migrationChecksum(migration) }))

  it("finds a problem in every history that is not a beginning of the known one", () => {
    fc.assert(
      fc.property(fc.subarray([1, 2, 3, 4, 5]), fc.subarray([1, 2, 3]), (ids, edited) => {
        const applied = ids.map((id) => ({
          id,
          name: `${id}`,
          checksum: edited.includes(id) ? "other" : (known[id - 1]?.checksum ?? "unknown"),
          applied_at: ""
        }))
        const isBeginning = ids.length <= 3 && ids.every((id, index) => id === index + 1 && !edited.includes(id))
        const statuses = compareMigrations(migrations, applied)
        assert.strictEqual(migrationProblem(statuses) === undefined, isBeginning)
        assert.deepStrictEqual(
          statuses.map(({ id }) => id),
          [1, 2, 3, 4, 5].filter((id) => id <= 3 || ids.includes(id))
        )
      })
    )
  })
})
