/** The tables of the in-memory store: which account each row belongs to. */
import { assert, describe, it } from "@effect/vitest"
import { LoggedMap } from "../../core/src/memory/tables/LoggedMap.ts"
import { RecordedChanges } from "../../core/src/memory/tables/RecordedChanges.ts"

interface Row {
  readonly account_id: string
  readonly name: string
  readonly hidden?: boolean
}

const makeTable = () =>
  new LoggedMap<Row>(new RecordedChanges(), ({ account_id, name, hidden }, id) =>
    hidden === true
      ? undefined
      : { change: { account_id, noun: "guardrail", id, workspace_id: null }, facts: { account_id, name } }
  )

const namesOf = (table: LoggedMap<Row>, account_id: string) => table.ofAccount(account_id).map(({ name }) => name)

describe("LoggedMap", () => {
  it("lists the rows of one account in the order of the table", () => {
    const table = makeTable()
    for (const [id, account_id] of ["ann", "bob", "ann", "ann"].entries())
      table.set(String(id), { account_id, name: `row ${id}` })
    // A row that is written again keeps its place, and one that is deleted loses it.
    table.set("0", { account_id: "ann", name: "row 0, again" })
    table.delete("2")
    table.set("2", { account_id: "ann", name: "row 2, last" })
    assert.deepEqual(namesOf(table, "ann"), ["row 0, again", "row 3", "row 2, last"])
    assert.deepEqual(namesOf(table, "bob"), ["row 1"])
    assert.strictEqual(table.countOf("ann"), 3)
  })

  it("lists a row under the account that has it now", () => {
    const table = makeTable()
    table.set("1", { account_id: "ann", name: "one" })
    table.set("1", { account_id: "bob", name: "one" })
    assert.deepEqual([namesOf(table, "ann"), namesOf(table, "bob")], [[], ["one"]])
    table.delete("1")
    assert.deepEqual(namesOf(table, "bob"), [])
    assert.strictEqual(table.countOf("bob"), 0)
  })

  it("leaves out a row that nobody sees", () => {
    const table = makeTable()
    table.set("1", { account_id: "ann", name: "one", hidden: true })
    assert.deepEqual(namesOf(table, "ann"), [])
    table.set("1", { account_id: "ann", name: "one" })
    assert.deepEqual(namesOf(table, "ann"), ["one"])
    table.set("1", { account_id: "ann", name: "one", hidden: true })
    assert.strictEqual(table.countOf("ann"), 0)
  })
})
