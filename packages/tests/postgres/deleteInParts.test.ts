/** Very many rows are deleted in parts, and the last of them, or few, are left to a statement that does more. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { deleteInParts } from "../../postgres/src/statements/deleteInParts.ts"
import { emptyEngines } from "./emptyEngines.ts"

describe.each(Object.entries(emptyEngines()))("rows that are deleted in parts on %s", (_, makeEngine) => {
  it("go but for a thousand, each part in a transaction of its own, and no others", async () => {
    const engine = await Effect.runPromise(makeEngine)
    const counts = await Effect.runPromise(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table many as select n, n <= 2500 as meant from generate_series(1, 2600) n`
        yield* sql`create table parts (xact xid8 unique, rows bigint)`
        yield* sql.unsafe(`
          create function noted() returns trigger language plpgsql as $$ begin
            insert into parts select pg_current_xact_id(), count(*) from gone; return null;
          end $$`)
        yield* sql.unsafe(`
          create trigger noted after delete on many referencing old table as gone for each statement execute function noted()`)
        const left = sql<{ meant: boolean; left: number }>`
          select meant, count(*)::int as left from many group by meant order by meant`
        yield* deleteInParts(sql, "many", sql`meant`)
        const first = yield* left
        yield* deleteInParts(sql, "many", sql`meant`)
        return { first, second: yield* left, parts: yield* sql`select rows::int as rows from parts order by rows` }
      }).pipe(Effect.provide(engine))
    )
    const rest = [
      { meant: false, left: 100 },
      { meant: true, left: 500 }
    ]
    assert.deepEqual(
      counts.first.map((row) => ({ ...row })),
      rest
    )
    assert.deepEqual(
      counts.second.map((row) => ({ ...row })),
      rest
    )
    assert.deepEqual(
      counts.parts.map(({ rows }) => rows),
      [1_000, 1_000]
    )
  })
})
