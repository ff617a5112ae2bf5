/** Every column that can hold a name says what an erasure does with it: the table of the code is compared with the schema. */
import { type PersonColumns, personColumns } from "@gatewarden/postgres/internal"
import { assert, describe, it } from "@effect/vitest"
import { inject } from "vitest"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"

/** Types whose values cannot be a name. Any other, and one that a later version uses first, is asked for. */
const unable = [
  ...["uuid", "uuid[]", "bigint", "bigint[]", "integer", "smallint", "numeric", "numeric[]", "double precision"],
  ...["double precision[]", "smallint[]", "integer[]"],
  ...["boolean", "date", "timestamp with time zone", "xid8"]
]

/** Columns that hold users and have a name that says so. */
const namedAfterUsers = /(^|_)(user_id|user_ids|member|creator_id|created_by|assigned_by|actor_id|external_user)$/

const placesOf = (columns: PersonColumns): readonly (readonly [kind: string, column: string])[] =>
  Object.entries(columns).flatMap(([kind, names]) => (names as readonly string[]).map((name) => [kind, name] as const))

describe("columns that may hold a person", () => {
  it("are each classified once, and no other is", async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    const rows = await execute(
      url,
      `select substr(c.relname, length('gatewarden_') + 1) as "table", a.attname as "column"
       from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relkind in ('r', 'p') and not c.relispartition and c.relname like 'gatewarden\\_%' and a.attnum > 0 and not a.attisdropped
         and format_type(a.atttypid, null) <> all ('{${unable.map((type) => `"${type}"`).join(",")}}')`
    )
    const there = rows.map(({ table, column }) => `${String(table)}.${String(column)}`)
    assert.isAbove(there.length, 150)
    const classified = Object.entries(personColumns).flatMap(([table, columns]) =>
      placesOf(columns).map(([, column]) => `${table}.${column}`)
    )
    assert.sameMembers(classified, there)
    assert.strictEqual(new Set(classified).size, classified.length)
  })

  it("do not call a column of users one without persons", () => {
    const wrong = Object.entries(personColumns).flatMap(([table, columns]) =>
      placesOf(columns)
        .filter(
          ([kind, name]) =>
            namedAfterUsers.test(name) && !["user", "external_user", "followed", "chained"].includes(kind)
        )
        .map(([kind, name]) => `${table}.${name}: ${kind}`)
    )
    assert.deepEqual(wrong, [])
  })
})
