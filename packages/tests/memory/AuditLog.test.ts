import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { auditLog } from "../../core/src/memory/AuditLog.ts"
import { changeLog } from "../../core/src/memory/ChangeLog.ts"
import type { RecordedChange } from "../../core/src/memory/tables/RecordedChanges.ts"
import { makeTables } from "../../core/src/memory/tables/Tables.ts"
import { Acts } from "../../core/src/ports/acting.ts"

const start = Date.parse("2026-03-04T12:00:00.000Z")
const every = { limit: 100, below: undefined, examined: 100 }

const world = () => {
  const tables = makeTables()
  let second = 0
  /** A change of the account, a second after the last one. */
  const record = (account_id: string, id: string) =>
    Effect.sync(() =>
      tables.changes.record({ account_id, noun: "guardrail", id, workspace_id: null }, undefined, { name: id })
    ).pipe(
      Effect.provideService(Acts, {
        actor: { type: "operator", id: null },
        operation: "prepare",
        request_id: null,
        at: new Date(start + 1_000 * second++).toISOString()
      })
    )
  const log = auditLog(tables)
  const { since } = changeLog(tables)
  const sweep = (before: number, atMost: number) => tables.sweeps.get("changes")?.[0]?.(before, atMost)
  const namesOf = (account_id: string) =>
    Effect.map(log.list(account_id, {}, every), ({ entries }) => entries.map(({ entity }) => entity))
  return { tables, record, log, since, sweep, namesOf }
}

/** Whoever looks at what is recorded fails. */
const unread = (row: RecordedChange): void => {
  for (const name of ["seq", "change", "entry", "seal", "position", "hash"])
    Object.defineProperty(row, name, { get: () => assert.fail("the history was looked through") })
}

describe("the audit log of the memory store", () => {
  it.effect("seals, lists and verifies without looking through what others changed, or was sealed before", () =>
    Effect.gen(function* () {
      const { tables, record, log, namesOf } = world()
      for (let change = 0; change < 50; change++) yield* record("theirs", `${change}`)
      assert.strictEqual(yield* log.seal(undefined), 50)
      for (const row of tables.changes.rows) unread(row)
      assert.strictEqual(yield* log.seal(undefined), 0)
      yield* record("ours", "a")
      yield* record("ours", "b")
      assert.strictEqual(yield* log.seal("ours"), 2)
      assert.deepStrictEqual(yield* namesOf("ours"), ["b", "a"])
      assert.deepInclude(yield* log.verify("ours"), { verified: 2, broken: [] })
    })
  )

  it.effect("forgets the oldest of each account, and goes on behind them", () =>
    Effect.gen(function* () {
      const { record, log, since, sweep, namesOf, tables } = world()
      for (const name of ["a", "b", "c"]) for (const account of ["one", "two"]) yield* record(account, name)
      const { position } = yield* since(undefined)
      yield* log.seal(undefined)
      yield* record("one", "d")
      const whole = yield* log.verify("one")
      const heldBefore = start + 4_000
      assert.strictEqual(sweep(heldBefore, 3), 3)
      assert.strictEqual(sweep(heldBefore, 3), 1)
      assert.strictEqual(sweep(heldBefore, 3), 0)
      assert.deepStrictEqual(
        tables.changes.rows.map(({ change, entry }) => `${change.account_id} ${entry.entity}`),
        ["one c", "two c", "one d"]
      )
      assert.deepInclude(yield* log.verify("one"), { verified: 1, head: whole.head, broken: [] })
      assert.deepStrictEqual((yield* since(position)).changes, [
        { account_id: "one", noun: "guardrail", id: "d", workspace_id: null }
      ])
      // What is not sealed stays, however old it is.
      assert.strictEqual(sweep(Infinity, 10), 2)
      assert.deepStrictEqual(
        tables.changes.rows.map(({ entry }) => entry.entity),
        ["d"]
      )
      yield* log.seal(undefined)
      assert.deepStrictEqual(yield* namesOf("one"), ["d"])
      const { head, broken } = yield* log.verify("one")
      assert.deepStrictEqual([head?.position, broken], [4, []])
      assert.deepInclude(yield* log.verify("two"), { verified: 0, broken: [] })
      const below = yield* log.list("one", {}, { limit: 100, below: 4, examined: 100 })
      assert.deepStrictEqual(below, { entries: [], next: undefined })
    })
  )
})
