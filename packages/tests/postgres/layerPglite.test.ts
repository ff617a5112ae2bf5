import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { layerPglite } from "../../postgres/src/connection/layerPglite.ts"

const snapshot = inject("pgliteSnapshot")
const memory = layerPglite({ dataDir: undefined, snapshot })

const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "gatewarden-test-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true }))
)

/** Long enough that the event loop would notice. */
const heavy = (sql: SqlClient.SqlClient) => sql`select count(*) as count from generate_series(1, 1000000)`

describe("layerPglite", () => {
  it.live("keeps the event loop free while a heavy statement runs", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`select 1`
      let turns = 0
      const timer = setInterval(() => turns++, 1)
      assert.deepStrictEqual(yield* heavy(sql), [{ count: 1_000_000n }])
      clearInterval(timer)
      // A blocked loop would have had one at most.
      assert.isAbove(turns, 10)
    }).pipe(Effect.provide(memory))
  )

  it.live("keeps nothing of a transaction that is interrupted in a statement, and serves the next", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const sent = yield* Deferred.make<void>()
      yield* sql`create table kept (id int)`
      const transaction = sql`insert into kept values (1)`.pipe(
        Effect.tap(Deferred.succeed(sent, undefined)),
        Effect.andThen(heavy(sql)),
        sql.withTransaction
      )
      yield* Effect.raceFirst(transaction, Deferred.await(sent))
      assert.deepStrictEqual(yield* sql`select count(*) as count from kept`, [{ count: 0n }])
    }).pipe(Effect.provide(memory))
  )

  it.live("keeps a directory's data, closes it clean and gives it back", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* temporaryDirectory, "deep", "data")
      const layer = layerPglite({ dataDir, snapshot })
      const use = <A, E>(f: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
        Effect.provide(Effect.flatMap(SqlClient.SqlClient, f), layer, { local: true })
      yield* use((sql) => Effect.andThen(sql`create table kept (id int)`, sql`insert into kept values (7)`))
      assert.notInclude(yield* Effect.promise(() => readdir(dataDir)), "gatewarden.lock")
      const again = yield* use((sql) =>
        Effect.gen(function* () {
          const { reason } = yield* Effect.flip(Effect.provide(SqlClient.SqlClient, Layer.fresh(layer)))
          assert.strictEqual(reason._tag, "ConnectionError")
          assert.include(reason.message, `in use by process ${process.pid}`)
          return yield* sql`select id from kept`
        })
      )
      assert.deepStrictEqual(again, [{ id: 7 }])
    })
  )

  it.live("fails with the reason when the directory cannot be opened, and gives it back", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryDirectory
      yield* Effect.promise(() => writeFile(join(dataDir, "PG_VERSION"), "9\n"))
      const { reason } = yield* Effect.flip(Effect.provide(SqlClient.SqlClient, layerPglite({ dataDir })))
      assert.strictEqual(reason._tag, "ConnectionError")
      assert.include(reason.message, "PGlite")
      assert.notInclude(yield* Effect.promise(() => readdir(dataDir)), "gatewarden.lock")
    })
  )
})
