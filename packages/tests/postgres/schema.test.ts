/** What a database of this version has, and which databases it refuses. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { functionStatus, migrate, requireMigrated } from "../../postgres/src/migrations/migrate.ts"
import type { Schema } from "../../postgres/src/migrations/Migration.ts"
import { schema } from "../../postgres/src/migrations/schema.ts"
import { emptyEngines } from "./emptyEngines.ts"

const statesOf = (of: Schema) =>
  Effect.map(functionStatus(of), (list) =>
    Object.fromEntries(list.flatMap(({ name, state }) => (state === "applied" ? [] : [[name, state]])))
  )

const one = (sql: string): Schema => ({ migrations: [], functions: [{ name: "gatewarden_one", sql }] })

describe.each(Object.entries(emptyEngines()))("the schema on %s", (_, engine) => {
  const test = (name: string, body: Effect.Effect<void, unknown, SqlClient.SqlClient>) =>
    it.live(name, () => Effect.flatMap(engine, (layer) => Effect.provide(body, layer)))

  test(
    "has functions whose bodies fit its tables",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrate(schema)
      yield* sql`set check_function_bodies = on`
      yield* sql`select case l.lanname when 'sql' then fmgr_sql_validator(p.oid) else plpgsql_validator(p.oid) end
        from pg_proc p join pg_language l on l.oid = p.prolang where p.proname like 'gatewarden\\_%'`
      const rows = yield* sql<{ name: string }>`
        select proname as name from pg_proc where proname like 'gatewarden\\_%' order by proname collate "C"`
      assert.deepStrictEqual(
        rows.map(({ name }) => name),
        schema.functions.map(({ name }) => name).sort()
      )
    })
  )

  for (const [of, rows] of [
    ["with the first series", ["1, 'accounts'", "2, 'keys'"]],
    ["with the baseline numbered 40", ["40, 'baseline'", "41, 'interval_slots'"]]
  ] as const)
    test(
      `refuses a database of an unreleased state ${of}, and changes nothing`,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* migrate(schema)
        yield* sql`delete from gatewarden_migration`
        for (const row of rows)
          yield* sql.unsafe(`insert into gatewarden_migration values (${row}, repeat('0', 64), now())`)
        for (const attempt of [migrate(schema), requireMigrated(schema)]) {
          const error = yield* Effect.flip(attempt)
          assert.strictEqual(error._tag, "FormerDatabase")
          assert.match(
            error.message,
            /^An unreleased state of Gatewarden made this database .*Start with an empty database/
          )
        }
        assert.deepStrictEqual(yield* sql`select count(*)::int as n from gatewarden_migration`, [{ n: 2 }])
      })
    )

  test(
    "applies a function again when its text changes, whatever it takes and answers",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const texts = [
        "create or replace function gatewarden_one(a int) returns int language sql as 'select a'",
        "create or replace function gatewarden_one(a int) returns int language sql as 'select a + 1'",
        "create or replace function gatewarden_one(a int) returns text language sql as 'select a::text'",
        "create or replace function gatewarden_one(b int) returns text language sql as 'select b::text'",
        "create or replace function gatewarden_one(b int, c int) returns text language sql as 'select c::text'"
      ]
      for (const text of texts) {
        assert.deepStrictEqual(yield* statesOf(one(text)), { gatewarden_one: "pending" })
        yield* migrate(one(text))
        assert.deepStrictEqual(yield* statesOf(one(text)), {})
      }
      assert.deepStrictEqual(yield* sql`select gatewarden_one(1, 2) as answer`, [{ answer: "2" }])
      assert.deepStrictEqual(yield* sql`select count(*)::int as n from pg_proc where proname = 'gatewarden_one'`, [
        { n: 1 }
      ])
      yield* migrate({ migrations: [], functions: [] })
      assert.deepStrictEqual(yield* sql`select to_regproc('gatewarden_one') is null as gone`, [{ gone: true }])
    })
  )

  test(
    "tells of a function that was changed by hand, and restores it where that is asked for",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const text = "create or replace function gatewarden_one(a int) returns int language sql as 'select a'"
      yield* migrate(one(text))
      for (const change of [
        "create or replace function gatewarden_one(a int) returns int language sql as 'select 7'",
        "alter function gatewarden_one(int) set enable_seqscan = off",
        "alter function gatewarden_one(int) stable",
        "create function gatewarden_one(a text) returns int language sql as 'select 7'",
        "drop function gatewarden_one(int)"
      ]) {
        yield* sql.unsafe(change)
        assert.deepStrictEqual(yield* statesOf(one(text)), { gatewarden_one: "edited" }, change)
        yield* migrate(one(text))
        yield* requireMigrated(one(text))
        assert.deepStrictEqual(yield* statesOf(one(text)), { gatewarden_one: "edited" }, change)
        assert.deepStrictEqual((yield* migrate(one(text), { restoreFunctions: true })).functions, ["gatewarden_one"])
        assert.deepStrictEqual(yield* statesOf(one(text)), {}, change)
      }
      assert.deepStrictEqual(yield* sql`select gatewarden_one(3) as answer`, [{ answer: 3 }])
    })
  )

  test(
    "names the function that the database refuses, and keeps nothing",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const error = yield* Effect.flip(
        migrate({
          migrations: [{ id: 1, name: "made", sql: "create table kept_not (id int)" }],
          functions: one("create or replace function gatewarden_one()\nreturns nothing language sql as ''").functions
        })
      )
      assert.strictEqual(error._tag, "FunctionFailed")
      assert.match(error.message, /^Function gatewarden_one failed.*: type "nothing" does not exist$/)
      assert.deepStrictEqual(yield* sql`select to_regclass('kept_not') is null as gone`, [{ gone: true }])
    })
  )
})
