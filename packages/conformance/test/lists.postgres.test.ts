/**
 * A page of a list reads the rows that it shows, wherever it is in the list: what comes before it and what there is in all are
 * counted in an index, and nothing is sorted.
 *
 * PostgreSQL counts the rows that it reads of each table; sessions report them when they end.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  ApiKeys,
  Assignments,
  BudgetLedger,
  ByokCredentials,
  Destinations,
  Guardrails,
  type StorePorts,
  WorkspaceMembers
} from "@gatewarden/core/effect"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import { account, guardrail, seedLists, workspace } from "../src/bench/growth/seedRows.ts"
import { eventually } from "../src/server/eventually.ts"
import { createDatabase, execute } from "../src/stores/postgresServer.ts"
import { sessionsEnded } from "../src/stores/sessionsEnded.ts"

const rows = 300
const page = { limit: 3, offset: 200 }

type List = Effect.Effect<{ readonly data: readonly unknown[]; readonly total_count: number }, never, StorePorts>

const lists: Readonly<Record<string, readonly List[]>> = {
  gatewarden_guardrail_key: [{}, { guardrail_id: guardrail }].map((filter) =>
    Effect.flatMap(Assignments, (port) => port.listKeys(account, filter, page))
  ),
  gatewarden_guardrail_member: [{}, { guardrail_id: guardrail }].map((filter) =>
    Effect.flatMap(Assignments, (port) => port.listMembers(account, filter, page))
  ),
  gatewarden_guardrail: [Effect.flatMap(Guardrails, (port) => port.list(account, { workspace_id: workspace }, page))],
  gatewarden_workspace_member: [Effect.flatMap(WorkspaceMembers, (port) => port.list(account, workspace, page))],
  gatewarden_byok_credential: [undefined, "openai"].map((provider) =>
    Effect.flatMap(ByokCredentials, (port) =>
      port.list(account, { workspace_id: workspace, provider }, { ...page, offset: 100 })
    )
  ),
  gatewarden_destination: [
    Effect.flatMap(Destinations, (port) => port.list(account, { workspace_id: workspace }, page))
  ],
  gatewarden_budget_warning: [undefined, workspace].map((one) =>
    Effect.flatMap(BudgetLedger, (port) => port.warnings(account, one, page))
  ),
  gatewarden_api_key: [{}, { disabled: false }].map((filter) =>
    Effect.flatMap(ApiKeys, (port) =>
      Effect.map(port.list(account, { kind: "normal", workspace_id: workspace, ...filter }, page), (data) => ({
        data,
        total_count: rows
      }))
    )
  )
}

const readOf = async (url: string, table: string) => {
  const [row] = await execute(
    url,
    `select seq_scan::int as whole, coalesce(idx_scan, 0)::int as looks, coalesce(idx_tup_fetch, 0)::int as fetched
     from pg_stat_user_tables where relname = '${table}'`
  )
  return { whole: Number(row?.["whole"]), looks: Number(row?.["looks"]), fetched: Number(row?.["fetched"]) }
}

describe("lists on PostgreSQL", async () => {
  const url = await createDatabase(inject("postgres"))
  const within = <A>(work: Effect.Effect<A, never, StorePorts>): Promise<A> =>
    Effect.runPromise(
      Effect.scoped(Effect.provide(work, layerPostgresStore({ url: Redacted.make(url), notifications: false })))
    )
  await within(Effect.void)
  // Tables as small as these would be read whole.
  await execute(url, ...seedLists(rows), "vacuum analyze")
  await execute(url, `alter database ${new URL(url).pathname.slice(1)} set enable_seqscan = off`)

  for (const [table, each] of Object.entries(lists))
    it(`reads no more of ${table} than it shows`, async () => {
      for (const list of each) {
        const before = await readOf(url, table)
        const found = await within(list)
        assert.lengthOf(found.data, page.limit)
        assert.include([rows, rows / 2], found.total_count)
        await sessionsEnded(url)
        // Before PostgreSQL 15 reports take a way of their own, and arrive after the session has ended.
        const after = await eventually("the report of the session", async () => {
          const read = await readOf(url, table)
          return read.looks > before.looks ? read : undefined
        })
        assert.strictEqual(after.whole, before.whole, "it was read whole")
        assert.isAtMost(after.fetched - before.fetched, page.limit)
      }
    })
})
