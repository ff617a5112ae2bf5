import { personalTables } from "@gatewarden/core/internal"
import { type PersonColumns, personColumns } from "@gatewarden/postgres/internal"
import { assert, describe, it } from "@effect/vitest"
import { personalRowsSuite } from "@gatewarden/conformance/internal/erasure/PersonalRows.suite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) personalRowsSuite(kind, () => store)

/** What the export has elsewhere, or leaves out as its rule says: usage, and what is gone within the hour, and sums. */
const notRows = ["usage_event", "usage_cell", "usage_staging", "hold"]

/** Names of tables in the database, where they differ from those of the export. */
const storedAs: Readonly<Record<string, string>> = {
  key: "api_key",
  key_assignment: "guardrail_key",
  member_assignment: "guardrail_member"
}

const named = (tables: Iterable<readonly [string, Pick<PersonColumns, "user" | "external_user">]>): readonly string[] =>
  [...tables].flatMap(([table, { user = [], external_user = [] }]) =>
    [...user, ...external_user].map((column) => `${table}.${column}`)
  )

describe("the export of personal data", () => {
  it("covers every column that is classified as one of persons", () => {
    const exported = Object.entries(personalTables).map(
      ([table, columns]) => [storedAs[table] ?? table, columns] as const
    )
    const classified = Object.entries(personColumns).filter(([table]) => !notRows.includes(table))
    assert.sameMembers([...named(exported)], [...named(classified)])
  })
})
