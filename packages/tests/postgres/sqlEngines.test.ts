import { assert, describe, layer } from "@effect/vitest"
import { PgClient, PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { hostPool } from "@gatewarden/testkit/stores/hostPool"
import { createDatabase } from "@gatewarden/testkit/stores/postgresServer"
import { describeRefusal } from "../../postgres/src/connection/describeSqlError.ts"
import { layerPglite } from "../../postgres/src/connection/layerPglite.ts"
import { layerPool } from "../../postgres/src/connection/layerPool.ts"

const layerPostgres = Layer.unwrap(
  Effect.map(
    Effect.promise(() => createDatabase(inject("postgres"))),
    (url) => PgClient.layer({ url: Redacted.make(url), multiplex: true })
  )
)

const layerHostPool = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* Effect.promise(() => createDatabase(inject("postgres")))
    return layerPool(yield* hostPool(url))
  })
)

const engines = {
  "pg.Pool": layerHostPool,
  PGlite: layerPglite({ dataDir: undefined, snapshot: inject("pgliteSnapshot") }),
  PostgreSQL: layerPostgres
}

const array = (values: readonly unknown[], oid: number) => Result.getOrThrow(PgTypes.array(values, oid))

const ids = ["00000000-0000-4000-8000-000000000001", "ffffffff-ffff-4fff-bfff-ffffffffffff"]

describe.each(Object.entries(engines))("sql-pg on %s", (_, engine) => {
  layer(engine, { timeout: "5 minutes" })((it) => {
    it.effect("tell why a statement was refused, and quote no value", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const refusal = (text: string) => Effect.map(Effect.flip(sql.unsafe(text)), describeRefusal)
        assert.strictEqual(yield* refusal("select from nowhere"), '42P01 relation "nowhere" does not exist')
        assert.strictEqual(yield* refusal("select 'secret'::uuid"), "22P02")
      })
    )

    it.effect("binds arrays whose type the statement names", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`select * from unnest(
          ${["a", 'quote " \\ {,} null', "é🙂"]}::text[],
          ${["-9223372036854775808", "0", "9223372036854775807"]}::int8[],
          ${[...ids, null]}::uuid[],
          ${["1e-30", "12345678901234567890.123456789", "NaN"]}::numeric[],
          ${[{ a: [1, null, "x"] }, "text", null].map((value) => JSON.stringify(value))}::jsonb[],
          ${[true, false, null]}::boolean[],
          ${["0.1", "-1e308", "Infinity"]}::float8[]
        ) as rows (text, int8, uuid, numeric, jsonb, boolean, float8)`
        assert.deepStrictEqual(rows, [
          {
            text: "a",
            int8: -9223372036854775808n,
            uuid: ids[0],
            numeric: "0.000000000000000000000000000001",
            jsonb: { a: [1, null, "x"] },
            boolean: true,
            float8: 0.1
          },
          {
            text: 'quote " \\ {,} null',
            int8: 0n,
            uuid: ids[1],
            numeric: "12345678901234567890.123456789",
            jsonb: "text",
            boolean: false,
            float8: -1e308
          },
          {
            text: "é🙂",
            int8: 9223372036854775807n,
            uuid: null,
            numeric: "NaN",
            jsonb: null,
            boolean: null,
            float8: Number.POSITIVE_INFINITY
          }
        ])
      })
    )

    it.effect("binds arrays in binary and reads them back", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const values = {
          text: ["a", "", null, "é🙂"],
          int8: [-1n, 2n ** 63n - 1n, null],
          uuid: [...ids, null],
          numeric: ["0", "-12345678901234567890.5", null],
          boolean: [true, false, null],
          float8: [0, 0.1, -1e308, null],
          jsonb: [{ a: 1 }, [null], "x"]
        }
        const rows = yield* sql`select
          ${array(values.text, PgTypes.OID.text)} as text,
          ${array(values.int8, PgTypes.OID.int8)} as int8,
          ${array(values.uuid, PgTypes.OID.uuid)} as uuid,
          ${array(values.numeric, PgTypes.OID.numeric)} as numeric,
          ${array(values.boolean, PgTypes.OID.bool)} as boolean,
          ${array(values.float8, PgTypes.OID.float8)} as float8,
          ${array(values.jsonb, PgTypes.OID.jsonb)} as jsonb`
        assert.deepStrictEqual(rows, [values])
      })
    )

    it.effect("binds empty arrays", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`select ${[]}::uuid[] as uuid, ${array([], PgTypes.OID.int8)} as int8`
        assert.deepStrictEqual(rows, [{ uuid: [], int8: [] }])
      })
    )

    it.effect("inserts ten thousand rows with one statement", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table bulk (id int8 primary key, name text not null)`
        const numbers = Array.from({ length: 10_000 }, (_, index) => index)
        yield* sql`insert into bulk select * from unnest(
          ${array(numbers.map(BigInt), PgTypes.OID.int8)}, ${numbers.map((number) => `name ${number}`)}::text[])`
        const rows = yield* sql`select count(*) as count, min(name) as first from bulk`
        assert.deepStrictEqual(rows, [{ count: 10_000n, first: "name 0" }])
      })
    )

    it.effect("takes 32,767 parameters, and refuses more without harm", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const sum = (count: number) => {
          const parameters = Array.from({ length: count }, (_, index) => String(index))
          const list = parameters.map((_, index) => `($${index + 1}::int)`).join(",")
          return sql.unsafe(`select sum(value) as sum from (values ${list}) as list (value)`, parameters)
        }
        assert.deepStrictEqual(yield* sum(32_767), [{ sum: 536_821_761n }])
        yield* Effect.flip(sum(32_768))
        assert.deepStrictEqual(yield* sql`select 1 as one`, [{ one: 1 }])
      })
    )

    it.effect("goes on after a statement that fails, in whichever phase", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tags = yield* Effect.forEach(
          [sql`selec 1`, sql`select * from nowhere`, sql`select ${"x"}::int`, sql`select 1 / (${0}::int4)`],
          (statement) => Effect.map(Effect.flip(statement), (error) => error.reason._tag)
        )
        assert.deepStrictEqual(tags, ["SqlSyntaxError", "SqlSyntaxError", "UnknownError", "UnknownError"])
        assert.deepStrictEqual(yield* sql`select 1 / (${2}::int4) as zero`, [{ zero: 0 }])
      })
    )

    it.effect("classifies a unique violation with its constraint", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table taken (slug text constraint slug_is_free unique)`
        yield* sql`insert into taken values ('a')`
        const { reason } = yield* Effect.flip(sql`insert into taken values ('a')`)
        assert.strictEqual(reason._tag, "UniqueViolation")
        assert.strictEqual("constraint" in reason && reason.constraint, "slug_is_free")
      })
    )

    it.effect("commits and rolls back transactions, and savepoints alone", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table entry (id int primary key)`
        const insert = (id: number) => sql`insert into entry values (${id})`
        yield* insert(1).pipe(
          Effect.andThen(Effect.flip(sql.withTransaction(Effect.andThen(insert(2), insert(1))))),
          Effect.andThen(insert(3)),
          sql.withTransaction
        )
        yield* Effect.flip(sql.withTransaction(Effect.andThen(insert(4), Effect.fail("no"))))
        yield* Effect.flip(sql.withTransaction(Effect.andThen(insert(5), insert(1))))
        assert.deepStrictEqual(yield* sql`select id from entry order by id`, [{ id: 1 }, { id: 3 }])
      })
    )

    it.effect("answers 200 statements and transactions that are asked at once", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table tally (id int primary key)`
        const answers = yield* Effect.forEach(
          Array.from({ length: 200 }, (_, index) => index),
          (index) => {
            const insert = Effect.map(
              sql<{ id: number }>`insert into tally values (${index}) returning id`,
              ([row]) => row?.id
            )
            return index % 4 === 0 ? sql.withTransaction(Effect.tap(insert, () => sql`select 1`)) : insert
          },
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          answers,
          Array.from({ length: 200 }, (_, index) => index)
        )
        assert.deepStrictEqual(yield* sql`select count(*) as count from tally`, [{ count: 200n }])
      })
    )
  })
})
