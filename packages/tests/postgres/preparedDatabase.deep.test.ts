/** A new embedded database that was prepared is what a start would have made, and nobody else's. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { migratedSnapshot } from "@gatewarden/testkit/stores/migratedDatabases"
import { packDatabase, unpackDatabase } from "../../postgres/src/connection/databaseFile.js"
import { layerPgliteStore } from "../../postgres/src/store/layerStore.ts"
import { layerPglite } from "../../postgres/src/connection/layerPglite.ts"
import { prepareDatabase, preparedDatabase, preparedName } from "../../postgres/src/store/preparedDatabase.ts"
import { functionStatus, migrate, migrationStatus, requireMigrated } from "../../postgres/src/migrations/migrate.ts"
import { schema } from "../../postgres/src/migrations/schema.ts"
import { describeCatalogue } from "./describeCatalogue.ts"

beforeAll(prepareDatabase)

const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "gatewarden-test-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true }))
)

const quiet = Layer.succeed(References.MinimumLogLevel, "None")

const inMemory = "prepared, in memory"
const inDirectory = "prepared, in a directory"

/** In a new database that was prepared, or in one in memory that was migrated. */
const inDatabase = <A>(
  kind: typeof inMemory | typeof inDirectory | "migrated",
  body: Effect.Effect<A, unknown, SqlClient.SqlClient>
): Effect.Effect<A, unknown> =>
  Effect.scoped(
    Effect.gen(function* () {
      const layer: Layer.Layer<SqlClient.SqlClient, SqlError> =
        kind === "migrated"
          ? layerPglite({
              dataDir: undefined,
              snapshot: yield* Effect.promise(() => migratedSnapshot(inject("pgliteSnapshot")))
            })
          : layerPglite({
              dataDir: kind === inMemory ? undefined : yield* temporaryDirectory,
              prepared: preparedDatabase()
            })
      return yield* Effect.provide(body, Layer.merge(layer, quiet), { local: true })
    })
  )

const described = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lines = yield* sql.unsafe<{ line: string }>(describeCatalogue)
  const functions = yield* sql`select proname, md5(pg_get_functiondef(oid)) as digest from pg_proc
    where proname like 'gatewarden\\_%' order by proname collate "C"`
  return { lines: lines.map(({ line }) => line), functions }
})

/** What PostgreSQL makes up for each database. */
const identity = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ identifier: string }>`
    select system_identifier::text as identifier, now() >= (select max(applied_at) from gatewarden_migration) as dated
    from pg_control_system()`
  return row
})

describe("a prepared database", () => {
  it.live("has what a database has that was migrated, and no rows", () =>
    Effect.gen(function* () {
      const migrated = yield* inDatabase("migrated", described)
      for (const kind of [inMemory, inDirectory] as const)
        yield* inDatabase(
          kind,
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            yield* requireMigrated(schema)
            assert.deepStrictEqual(yield* described, migrated)
            for (const { name, state } of yield* functionStatus(schema)) assert.strictEqual(state, "applied", name)
            for (const { name, state } of yield* migrationStatus(schema)) assert.strictEqual(state, "applied", name)
            assert.deepStrictEqual(yield* migrate(schema), { migrations: [], functions: [] })
            const tables = yield* sql<{ relname: string }>`select relname from pg_class
            where relkind = 'r' and relname like 'gatewarden\\_%'
              and relname not in ('gatewarden_migration', 'gatewarden_function')`
            assert.isAbove(tables.length, 20)
            for (const { relname } of tables)
              assert.deepStrictEqual(yield* sql`select count(*)::int as n from ${sql(relname)}`, [{ n: 0 }], relname)
          })
        )
    })
  )

  it.live("is dated by its own start and shares no identifier with another", () =>
    Effect.gen(function* () {
      const started = Date.now()
      const applied = Effect.gen(function* () {
        const of = (yield* migrationStatus(schema)).map(({ applied_at }) => Date.parse(applied_at ?? ""))
        return { first: Math.min(...of), identifier: (yield* identity)?.identifier }
      })
      const made = yield* Effect.forEach([inDirectory, inMemory] as const, (kind) => inDatabase(kind, applied))
      for (const { first, identifier } of made) {
        assert.isAtLeast(first, started - 1)
        assert.match(identifier ?? "", /^-?\d+$/)
      }
      assert.strictEqual(new Set(made.map(({ identifier }) => identifier)).size, made.length)
    })
  )

  it.live("keeps its rows, and is not made again over a database that is there", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryDirectory
      const use = <A>(body: (sql: SqlClient.SqlClient) => Effect.Effect<A, SqlError>) =>
        Effect.provide(
          Effect.flatMap(SqlClient.SqlClient, body),
          layerPglite({ dataDir, prepared: preparedDatabase() }),
          { local: true }
        )
      yield* use((sql) => Effect.andThen(sql`create table kept (id int)`, sql`insert into kept values (7)`))
      assert.deepStrictEqual(yield* use((sql) => sql`select id from kept`), [{ id: 7 }])
    })
  )

  it.live("is not there while its files are not all written", () =>
    Effect.gen(function* () {
      const { file } = preparedDatabase() ?? assert.fail("nothing is prepared")
      const dataDir = yield* temporaryDirectory
      yield* Effect.promise(() => mkdir(join(dataDir, "global")))
      yield* Effect.promise(() => mkdir(join(dataDir, "global/pg_control")))
      assert.throws(() => unpackDatabase(file, dataDir), /EISDIR/)
      assert.isFalse(existsSync(join(dataDir, "PG_VERSION")))
      yield* Effect.promise(() => rm(join(dataDir, "global/pg_control"), { recursive: true }))
      unpackDatabase(file, dataDir)
      assert.isTrue(existsSync(join(dataDir, "PG_VERSION")))
      assert.throws(() => packDatabase(join(dataDir, "base")), /ENOENT.*PG_VERSION/)
    })
  )

  it.live("is not made of a PostgreSQL whose files are not known", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.promise(async () => {
        await mkdir(join(directory, "global"))
        await writeFile(join(directory, "global/pg_control"), Buffer.alloc(8192, 1))
        await writeFile(join(directory, "PG_VERSION"), "19\n")
      })
      assert.throws(() => packDatabase(directory), /pg_control is of version 16843009/)
    })
  )

  it("fits one schema and one version of PGlite", () => {
    const [first, ...others] = schema.functions
    const last = schema.migrations.at(-1)
    if (first === undefined || last === undefined) return assert.fail("the schema is empty")
    const names = [
      preparedName(schema, "1.0.0"),
      preparedName(schema, "1.0.1"),
      preparedName({ ...schema, functions: others }, "1.0.0"),
      preparedName({ ...schema, functions: [{ ...first, sql: `${first.sql} ` }, ...others] }, "1.0.0"),
      preparedName({ ...schema, migrations: schema.migrations.slice(0, -1) }, "1.0.0"),
      preparedName(
        { ...schema, migrations: [...schema.migrations.slice(0, -1), { ...last, sql: `${last.sql} ` }] },
        "1.0.0"
      )
    ]
    assert.strictEqual(new Set(names).size, names.length)
  })

  it.live("is what a store is made of, unless the host migrates it itself", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryDirectory
      // An empty database, made of the snapshot where nothing that was prepared comes before it.
      const checked = layerPgliteStore({ dataDir, snapshot: inject("pgliteSnapshot"), migrate: "check" })
      const error = yield* Effect.flip(Effect.scoped(Layer.build(checked)))
      assert.strictEqual(error._tag, "MigrationPending")
      const other = join(dataDir, "other")
      const messages: unknown[] = []
      const logged = Logger.layer([Logger.make(({ message }) => void messages.push(message))])
      for (const dataDir of [other, undefined])
        yield* Effect.scoped(Layer.build(Layer.provide(layerPgliteStore({ dataDir }), logged)))
      assert.deepStrictEqual(messages, [])
      assert.include(yield* Effect.promise(() => readdir(other)), "PG_VERSION")
    })
  )
})
