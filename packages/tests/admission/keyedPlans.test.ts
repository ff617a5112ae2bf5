/**
 * What is asked for often reads as many rows when a table is full as when it was empty, though sessions keep the plans that they made
 * for the empty one.
 *
 * Source: docs/decisions/0005-what-goes-together.md. PostgreSQL counts what its indexes give and what it reads of whole tables; sessions tell it when they end.
 */
import { assert, describe, it } from "@effect/vitest"
import { BudgetLedger } from "@gatewarden/core/store"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { Effect, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { key_hash, spentTogether, user_id, workspace_id } from "@gatewarden/testkit/server/spentBudgets"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { ofTable, opensDays } from "@gatewarden/testkit/stores/usageTables"
import { spendingEvent } from "@gatewarden/conformance/internal/usage/spendingEvent"

const times = 400

const within = <A, E>(url: string, work: Effect.Effect<A, E, BudgetLedger>): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(Effect.provide(work, layerPostgresStore({ url: Redacted.make(url), writeConnections: 1 })))
  )

/** Rows read of a table, by its indexes or whole, once the sessions have told of all that they wrote. */
const rowsRead = (url: string, table: string, added: number): Promise<number> =>
  eventually("what the sessions have to tell", async () => {
    const [row] = await execute(
      url,
      `select sum(n_tup_ins)::int as added, sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::int as read
       from pg_stat_user_tables where ${ofTable(table)}`
    )
    return row?.["added"] === added ? Number(row["read"]) : undefined
  })

/** Rows read of the table of holds, and by which index, for who has to find out why a bound was passed. */
const readsOfHolds = async (url: string): Promise<string> =>
  JSON.stringify([
    await execute(
      url,
      `select seq_scan::int, seq_tup_read::int, n_live_tup::int, autovacuum_count::int, autoanalyze_count::int
       from pg_stat_user_tables where relname = 'gatewarden_hold'`
    ),
    await execute(
      url,
      `select indexrelname, idx_scan::int, idx_tup_fetch::int from pg_stat_user_indexes
       where relname = 'gatewarden_hold' and idx_scan > 0`
    )
  ])

/** Its tables are empty, and no statistics are gathered of them on the way: who runs beside it would decide what is planned. */
const emptyDatabase = async (): Promise<string> => {
  const url = await createMigratedDatabase(inject("postgres"))
  await within(url, Effect.void)
  await execute(url, opensDays("now()", "now() + interval '1 day'"))
  const tables = await execute(url, "select relname from pg_class where relkind = 'r' and relname like 'gatewarden%'")
  await execute(url, ...tables.map(({ relname }) => `alter table ${String(relname)} set (autovacuum_enabled = off)`))
  return url
}

describe("plans that were made for empty tables", () => {
  it("hold and settle by keys", async () => {
    const url = await emptyDatabase()
    await execute(url, "analyze")
    const account_id = randomUUID()
    await within(
      url,
      Effect.gen(function* () {
        const ledger = yield* BudgetLedger
        for (let index = 0; index < times; index++) {
          const admission_id = `admission-${index}`
          const costs = [{ nanos: 1n, byok: false }]
          const asked = { workspace_id, key_hash, user_id, budgets: spentTogether, costs, hold_seconds: 600 }
          yield* ledger.hold(account_id, { admission_id, ...asked })
          const created_at = new Date().toISOString()
          const spent = { workspace_id, api_key_hash: key_hash, user_id, cost_nanos: 1n }
          yield* ledger.settle(account_id, spendingEvent({ id: admission_id, created_at, ...spent }))
        }
      })
    )
    assert.isBelow(await rowsRead(url, "gatewarden_hold", times), 10 * times)
  })

  it("hold and settle by keys where an account has many of them", async () => {
    const url = await emptyDatabase()
    const account_id = randomUUID()
    const keys = Array.from({ length: 60 }, (_, n) => `${n}`.padStart(64, "0"))
    const budgetsOf = (entity: string) =>
      spentTogether.map((one) => (one.scope === "key_limit" ? { ...one, entity } : one))
    const spend = Effect.fnUntraced(function* (n: number) {
      const ledger = yield* BudgetLedger
      const key = keys[n % keys.length] ?? ""
      const admission_id = `admission-${n}`
      const costs = [{ nanos: 1n, byok: false }]
      yield* ledger.hold(account_id, {
        ...{ admission_id, workspace_id, key_hash: key, user_id, costs, hold_seconds: 600 },
        budgets: budgetsOf(key)
      })
      // One in ten is given back and one renewed: both look for their hold.
      if (n % 10 === 1) yield* ledger.renew(account_id, admission_id, 600)
      if (n % 10 === 0) return yield* ledger.release(account_id, admission_id)
      const created_at = new Date().toISOString()
      const spent = { workspace_id, api_key_hash: key, user_id, cost_nanos: 1n }
      yield* ledger.settle(account_id, spendingEvent({ id: admission_id, created_at, ...spent }))
    })
    await within(
      url,
      Effect.forEach(
        Array.from({ length: times }, (_, n) => n),
        spend,
        { discard: true }
      )
    )
    const windows = keys.length + 3
    // Each of four windows is found, locked and written by a hold and by a settlement; those of a new key are opened besides. Versions that
    // are not pruned yet are read, too: 30 rows for each on an idle machine. One scan of all windows would add 63.
    assert.isBelow(await rowsRead(url, "gatewarden_budget_window", windows), 40 * times)
    assert.isBelow(await rowsRead(url, "gatewarden_budget_list", keys.length), 3 * times)
    assert.isBelow(await rowsRead(url, "gatewarden_usage_event", (9 * times) / 10), times)
    assert.isBelow(await rowsRead(url, "gatewarden_usage_id", (9 * times) / 10), times)
    assert.isBelow(await rowsRead(url, "gatewarden_hold", times), 4 * times, await readsOfHolds(url))
  })
})
