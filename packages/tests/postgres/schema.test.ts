/** What a database of this version has, and how one of the version before comes to have it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { functionStatus, migrate, migrationStatus, requireMigrated } from "../../postgres/src/migrations/migrate.ts"
import { type Schema, seriesDigest } from "../../postgres/src/migrations/Migration.ts"
import { schema } from "../../postgres/src/migrations/schema.ts"
import { describeCatalogue } from "./describeCatalogue.ts"
import { emptyEngines } from "./emptyEngines.ts"
import { formerMigrations } from "./formerMigrations.ts"

/** What the former series left, before it was folded into the baseline. */
const catalogue = readFileSync(new URL("catalogue.txt", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")

const described = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{ line: string }>(describeCatalogue)
  return rows.map(({ line }) => line)
})

/** What stands in for the former series, without what came later. */
const baselineAlone: Schema = { ...schema, migrations: schema.migrations.slice(0, 1) }

const statesOf = (of: Schema) =>
  Effect.map(functionStatus(of), (list) =>
    Object.fromEntries(list.flatMap(({ name, state }) => (state === "applied" ? [] : [[name, state]])))
  )

const unseen = "create function gatewarden_consume(int) returns int language sql as 'select 1'"

/** Makes of a database at the baseline one as the version before left it: its functions are no longer written down, and its rows are. */
const made = (series: readonly { readonly id: number; readonly name: string; readonly checksum: string }[]) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* migrate(baselineAlone)
    yield* sql.unsafe("drop table gatewarden_function")
    yield* sql.unsafe(unseen)
    yield* sql`delete from gatewarden_migration`
    for (const { id, name, checksum } of series)
      yield* sql`insert into gatewarden_migration values (${id}, ${name}, ${checksum}, now())`
  })

const one = (sql: string): Schema => ({ migrations: [], functions: [{ name: "gatewarden_one", sql }] })

describe.each(Object.entries(emptyEngines()))("the schema on %s", (_, engine) => {
  const test = (name: string, body: Effect.Effect<void, unknown, SqlClient.SqlClient>) =>
    it.live(name, () => Effect.flatMap(engine, (layer) => Effect.provide(body, layer)))

  test(
    "counts recipients of mail as confirmed that channels name before they have to confirm",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrate({ ...schema, migrations: schema.migrations.filter(({ id }) => id < 79) })
      const account_id = crypto.randomUUID()
      const channel = (type: string, config: object) => sql`
        insert into gatewarden_alert_channel (id, account_id, workspace_id, name, type, config, sealed_config, events,
          quiet_time_seconds, enabled, created_at)
        values (gen_random_uuid(), ${account_id}, gen_random_uuid(), 'ops', ${type}, ${JSON.stringify(config)}::json, '', '{}',
          0, true, now())`
      yield* sql.withTransaction(
        Effect.gen(function* () {
          // Without the workspaces that channels are of.
          yield* sql`set local session_replication_role = replica`
          yield* channel("email", { to: ["Ops@example.com", "two@example.com"] })
          yield* channel("email", { to: ["ops@example.com"] })
          yield* channel("slack", { url: "https://hooks.example.com/" })
        })
      )
      yield* migrate(schema)
      const rows = yield* sql<{ address: string }>`
        select address from gatewarden_mail_recipient
        where account_id = ${account_id} and confirmed_at is not null and token_hash is null order by address`
      assert.deepStrictEqual(
        rows.map(({ address }) => address),
        ["ops@example.com", "two@example.com"]
      )
    })
  )

  test(
    "has the tables that the former series left",
    Effect.gen(function* () {
      yield* migrate(baselineAlone)
      assert.deepStrictEqual(yield* described, catalogue)
    })
  )

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

  test(
    "takes over a database that the version before has brought to its end, with its rows",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* made(formerMigrations)
      yield* sql`insert into gatewarden_account (id, name, default_workspace_id, created_at)
        values (gen_random_uuid(), 'kept', gen_random_uuid(), now())`
      assert.strictEqual((yield* Effect.flip(requireMigrated(schema)))._tag, "MigrationPending")
      assert.deepStrictEqual((yield* migrate(schema)).migrations, schema.migrations)
      assert.deepStrictEqual(yield* migrate(schema), { migrations: [], functions: [] })
      yield* requireMigrated(schema)
      assert.deepStrictEqual(yield* statesOf(schema), {})
      for (const { state } of yield* migrationStatus(schema)) assert.strictEqual(state, "applied")
      const takenOver = yield* described
      assert.deepStrictEqual(yield* sql`select name from gatewarden_account`, [{ name: "kept" }])
      assert.deepStrictEqual(yield* sql`select to_regproc('gatewarden_consume') is null as gone`, [{ gone: true }])
      yield* sql`drop schema public cascade`
      yield* sql`create schema public`
      yield* migrate(schema)
      assert.deepStrictEqual(takenOver, yield* described)
    })
  )

  test(
    "refuses one that the version before has not brought to its end, and changes nothing",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* made(formerMigrations.slice(0, 38))
      for (const attempt of [migrate(schema), requireMigrated(schema)]) {
        const error = yield* Effect.flip(attempt)
        assert.strictEqual(error._tag, "FormerDatabase")
        assert.match(error.message, /at migration 38 of a former series.*Run the version before this one/)
      }
      assert.deepStrictEqual(yield* sql`select count(*)::int as n from gatewarden_migration`, [{ n: 38 }])
    })
  )

  test(
    "refuses one whose migrations were not those of the version before",
    Effect.gen(function* () {
      yield* made(formerMigrations.map((row) => (row.id === 12 ? { ...row, checksum: "other" } : row)))
      const error = yield* Effect.flip(migrate(schema))
      assert.strictEqual(error._tag, "FormerDatabase")
      assert.match(error.message, /not with the texts that were released/)
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

it("takes over exactly the series that the baseline was folded from", () => {
  assert.strictEqual(seriesDigest(formerMigrations), schema.former?.digest)
  assert.strictEqual(formerMigrations.length, schema.former?.last)
  assert.strictEqual(schema.migrations[0]?.id, formerMigrations.length + 1)
})
