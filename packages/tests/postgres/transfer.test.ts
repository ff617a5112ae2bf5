/** Tables as they are moved and backed up: all of them, in an order that can be filled, value by value as they were. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { createDatabase } from "@gatewarden/testkit/stores/postgresServer"
import {
  finishLoad,
  inLoad,
  inSnapshot,
  layerPostgres,
  loadLines,
  migrate,
  occupiedTables,
  prepareLoad,
  readLines,
  readTables,
  schema
} from "../../postgres/src/internal.ts"
import { sealedColumns } from "../../postgres/src/statements/sealedColumns.ts"
import { inOrder, type TransferTable } from "../../postgres/src/transfer/readTables.ts"
import { emptyEngines } from "./emptyEngines.ts"

const migrated = Layer.unwrap(
  Effect.map(
    Effect.promise(() => createDatabase(inject("postgres"))),
    (url) => layerPostgres({ url: Redacted.make(url) })
  )
).pipe(Layer.tap((context) => Effect.provideContext(migrate(schema), context)))

layer(migrated)("tables of an installation", (it) => {
  it.effect("are all there, empty, each behind those it refers to", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = yield* readTables
      const names = tables.map(({ name }) => name)
      const kept = yield* sql<{ name: string }>`
        select relname as name from pg_class where relkind in ('r', 'p') and not relispartition and relpersistence = 'p'
          and relname like 'gatewarden%' and relname not in ('gatewarden_migration', 'gatewarden_function', 'gatewarden_audit_horizon')`
      assert.sameMembers(
        names,
        kept.map(({ name }) => name)
      )
      assert.isAtLeast(names.length, 20)
      for (const [index, { name, refers_to }] of tables.entries())
        for (const before of refers_to) assert.isBelow(names.indexOf(before), index, `${name} refers to ${before}`)
      // A migration that adds rows would make every new database look used.
      assert.deepStrictEqual(yield* occupiedTables(tables), [])
    })
  )

  it.effect("have bytes only where rotation finds them, and in contents of files", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ place: string }>`
        select table_name || '.' || column_name as place from information_schema.columns
        where table_name like 'gatewarden%' and data_type = 'bytea'`
      assert.sameMembers(
        rows.map(({ place }) => place),
        [
          ...Object.values(sealedColumns).map(({ table, column }) => `${table}.${column}`),
          "gatewarden_file_content.bytes",
          // Of a batch that is being received: the rows are no older than its request.
          "gatewarden_usage_staging.sealed_bodies",
          "gatewarden_usage_staging.sealed_content"
        ]
      )
    })
  )

  it.effect("give back every value that they were given, and no trigger runs", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql.unsafe(`
        create table gatewarden_zoo (
          id bigserial primary key, double double precision, number numeric, bytes bytea, at timestamptz, day date,
          texts text[], plain json, binary_json jsonb, words text, twice bigint generated always as (id * 2) stored)`)
      yield* sql.unsafe(`create function forbid() returns trigger language plpgsql as $$ begin raise 'ran'; end $$`)
      yield* sql.unsafe(`
        insert into gatewarden_zoo (double, number, bytes, at, day, texts, plain, binary_json, words) values
          (0.1::float8 + 0.2, 1e-20, '\\x00ff5c22'::bytea, '2026-03-04 05:06:07.123456+02', '0044-03-15 BC', array['a"b', null, 'c,d\\', ''], '{"b":1, "a" : [1.0,"\\u00e9"]}', '{"z": 1e400}', E'line\\n\\t"\\\\ 😀'),
          ('NaN', 'Infinity', '', 'infinity', 'infinity', '{}', '
null', '[]', ''),
          (null, null, null, null, null, null, null, null, null),
          (5e-324, 123456789012345678901234567890.123456789, null, '0001-01-01 00:00:00Z', null, '{{a,b},{c,d}}', null, null, 'NULL')`)
      yield* sql.unsafe("create trigger forbid before insert on gatewarden_zoo for each row execute function forbid()")
      const [table] = (yield* readTables).filter(({ name }) => name === "gatewarden_zoo")
      if (table === undefined) return assert.fail()
      assert.notInclude(
        table.columns.map(({ name }) => name),
        "twice"
      )
      const read = Effect.gen(function* () {
        const lines: string[] = []
        yield* readLines(table, (some) => Effect.sync(() => void lines.push(...some)))
        return lines
      })
      const before = yield* inSnapshot(read)
      assert.lengthOf(before, 4)
      const after = yield* inLoad(
        Effect.gen(function* () {
          yield* sql.unsafe("truncate gatewarden_zoo restart identity")
          yield* prepareLoad([table])
          yield* loadLines(table, before)
          yield* finishLoad([table])
          return yield* read
        })
      )
      assert.deepStrictEqual(after, before)
      const [enabled] = yield* sql.unsafe<{ tgenabled: string }>(
        "select tgenabled from pg_trigger where tgname = 'forbid'"
      )
      assert.strictEqual(enabled?.tgenabled, "O")
      const [next] = yield* sql.unsafe<{ id: bigint; twice: bigint }>(
        "select nextval('gatewarden_zoo_id_seq') as id, (select max(twice) from gatewarden_zoo) as twice"
      )
      assert.deepStrictEqual([next?.id, next?.twice], [5n, 8n])
      yield* sql.unsafe("drop table gatewarden_zoo")
    })
  )
})

describe("a batch of lines has at most 2,000,000 bytes, or one line", () => {
  const table: TransferTable = {
    name: "gatewarden_zoo",
    columns: [
      { name: "id", type: "text", sequence: null },
      { name: "bytes", type: "bytea", sequence: null },
      { name: "facts", type: "jsonb", sequence: null }
    ],
    key: ["id"],
    refers_to: []
  }
  for (const [name, engine] of Object.entries(emptyEngines()))
    it.live(
      `rows of a megabyte after 6,000 tiny ones: ${name}`,
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql.unsafe(`create table gatewarden_zoo (id text collate "C" primary key, bytes bytea, facts jsonb)`)
          yield* sql.unsafe(`
          insert into gatewarden_zoo
            select 'a' || to_char(i, 'FM0000'), null::bytea, null::jsonb from generate_series(1, 6000) i
            union all select 'b' || to_char(i, 'FM0000'), decode(repeat('00ff', 250000), 'hex'), null from generate_series(1, 15) i
            union all select 'c' || to_char(i, 'FM0000'), null, to_jsonb(repeat('x', 900000)) from generate_series(1, 15) i
            union all select 'd', decode(repeat('00ff', 800000), 'hex'), null
            union all select 'e', null, null`)
          const batches: (readonly string[])[] = []
          yield* inSnapshot(readLines(table, (lines) => Effect.sync(() => void batches.push(lines))))
          const sizes = batches.map((lines) => ({
            rows: lines.length,
            bytes: lines.reduce((sum, { length }) => sum + length, 0)
          }))
          const largest = sizes.filter(({ rows }) => rows > 1).reduce((most, { bytes }) => Math.max(most, bytes), 0)
          assert.isAtMost(largest, 2_010_000, "about, as a line has more than its values")
          assert.isAtMost(batches.length, 40)
          const ids = batches.flat().map((line) => (JSON.parse(line) as readonly string[])[0] ?? "")
          assert.lengthOf(ids, 6_032)
          assert.deepStrictEqual(ids, ids.toSorted())
        }).pipe(Effect.provide(Layer.unwrap(engine))),
      60_000
    )
})

it("orders tables that refer to each other, circles included", () => {
  const table = (name: string, ...refers_to: readonly string[]) => ({ name, refers_to, columns: [], key: [] })
  const order = (...tables: Parameters<typeof inOrder>[0]) => inOrder(tables).map(({ name }) => name)
  assert.deepStrictEqual(order(table("c", "b"), table("b", "a"), table("a")), ["a", "b", "c"])
  assert.deepStrictEqual(order(table("a"), table("b")), ["a", "b"])
  assert.sameMembers(order(table("a", "b"), table("b", "a"), table("c", "a")), ["a", "b", "c"])
})
