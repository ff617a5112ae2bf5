/**
 * A page of a list reads the rows that it shows, wherever it is in the list. How many rows the list has is not counted, nothing is
 * sorted, and an offset passes entries of an index from the nearer end of the list.
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
  Files,
  Guardrails,
  type PageRequest,
  Presets,
  type StorePorts,
  WorkspaceMembers
} from "@gatewarden/core/internal"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { Effect, Option, Redacted } from "effect"
import { inject } from "vitest"
import { account, filePlace, guardrail, seedLists, workspace } from "../../bench/src/growth/seedRows.ts"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { sessionsEnded } from "@gatewarden/testkit/stores/sessionsEnded"

const rows = 300
const limit = 3

type List = (
  page: PageRequest
) => Effect.Effect<{ readonly data: readonly unknown[]; readonly total_count: number }, never, StorePorts>

/** By table, its lists and how many rows each has. */
const lists: Readonly<Record<string, readonly (readonly [rows: number, list: List])[]>> = {
  gatewarden_guardrail_key: [{}, { guardrail_id: guardrail }].map((filter) => [
    rows,
    (page) => Effect.flatMap(Assignments, (port) => port.listKeys(account, filter, page))
  ]),
  gatewarden_guardrail_member: [{}, { guardrail_id: guardrail }].map((filter) => [
    rows,
    (page) => Effect.flatMap(Assignments, (port) => port.listMembers(account, filter, page))
  ]),
  gatewarden_guardrail: [
    [rows, (page) => Effect.flatMap(Guardrails, (port) => port.list(account, { workspace_id: workspace }, page))]
  ],
  gatewarden_workspace_member: [
    [rows, (page) => Effect.flatMap(WorkspaceMembers, (port) => port.list(account, workspace, page))]
  ],
  gatewarden_named_user: [
    [rows, (page) => Effect.flatMap(WorkspaceMembers, (port) => port.users(account, page, "2026-01-01T00:00:00.000Z"))]
  ],
  gatewarden_byok_credential: [undefined, "openai"].map((provider) => [
    provider === undefined ? rows : rows / 2,
    (page) => Effect.flatMap(ByokCredentials, (port) => port.list(account, { workspace_id: workspace, provider }, page))
  ]),
  gatewarden_destination: [
    [rows, (page) => Effect.flatMap(Destinations, (port) => port.list(account, { workspace_id: workspace }, page))]
  ],
  gatewarden_preset: [[rows, (page) => Effect.flatMap(Presets, (port) => port.list(account, workspace, page))]],
  gatewarden_preset_version: [
    [
      rows,
      (page) =>
        Effect.flatMap(Presets, (port) =>
          Effect.map(port.listVersions(account, workspace, "preset-1", page), Option.getOrThrow)
        )
    ]
  ],
  gatewarden_budget_warning: [undefined, workspace].map((one) => [
    rows,
    (page) => Effect.flatMap(BudgetLedger, (port) => port.warnings(account, one, page))
  ]),
  gatewarden_api_key: [{}, { disabled: false }].map((filter) => [
    rows,
    (page) =>
      Effect.flatMap(ApiKeys, (port) =>
        Effect.map(port.list(account, { kind: "normal", workspace_id: workspace, ...filter }, page), (data) => ({
          data,
          total_count: rows
        }))
      )
  ])
}

const readOf = async (url: string, table: string) => {
  const [row] = await execute(
    url,
    `select seq_scan::int as whole, coalesce(idx_scan, 0)::int as looks, coalesce(idx_tup_fetch, 0)::int as fetched,
       (select sum(idx_tup_read)::int from pg_stat_user_indexes i where i.relid = t.relid) as entries
     from pg_stat_user_tables t where relname = '${table}'`
  )
  return {
    whole: Number(row?.["whole"]),
    looks: Number(row?.["looks"]),
    fetched: Number(row?.["fetched"]),
    entries: Number(row?.["entries"])
  }
}

describe("lists on PostgreSQL", async () => {
  const url = await createMigratedDatabase(inject("postgres"))
  const within = <A>(work: Effect.Effect<A, never, StorePorts>): Promise<A> =>
    Effect.runPromise(
      Effect.scoped(Effect.provide(work, layerPostgresStore({ url: Redacted.make(url), notifications: false })))
    )
  await within(Effect.void)
  // Tables as small as these would be read whole.
  await execute(url, ...seedLists(rows), "vacuum analyze")
  await execute(url, `alter database ${new URL(url).pathname.slice(1)} set enable_seqscan = off`)

  /** What pages read of a table, which holds that it is not read whole. */
  const reads = async <A extends { readonly data: readonly unknown[] }>(
    table: string,
    pages: Effect.Effect<A, never, StorePorts>
  ) => {
    const before = await readOf(url, table)
    const found = await within(pages)
    await sessionsEnded(url)
    // Before PostgreSQL 15 reports take a way of their own, and arrive after the session has ended. Past the end nothing is read.
    const after = await eventually("the report of the session", async () => {
      const read = await readOf(url, table)
      return found.data.length === 0 || read.looks > before.looks ? read : undefined
    })
    assert.strictEqual(after.whole, before.whole, "it was read whole")
    return { found, fetched: after.fetched - before.fetched, entries: after.entries - before.entries }
  }

  for (const [table, each] of Object.entries(lists))
    it(`reads no more of ${table} than it shows`, async () => {
      for (const [total, list] of each) {
        const whole = await reads(
          table,
          Effect.map(
            Effect.forEach([0, 100, 200], (offset) => list({ limit: 100, offset })),
            (pages) => ({ data: pages.flatMap(({ data }) => data) })
          )
        )
        // The place in the list, and how many entries of an index lie between it and the nearer end.
        for (const [offset, passed] of [
          [0, 0],
          [total / 2 - 50, total / 2 - 50],
          [total / 2 + 50, total / 2 - 50 - limit],
          [total - limit, 0],
          [total - 1, 0],
          [total, 0],
          [total + 100, 0]
        ] as const) {
          const { found, fetched, entries } = await reads(table, list({ limit, offset }))
          assert.deepEqual(found, { data: whole.found.data.slice(offset, offset + limit), total_count: total })
          assert.isAtMost(fetched, limit)
          assert.isAtMost(entries, passed + 2 * limit)
        }
      }
    })

  it("reads no more of gatewarden_file than it shows", async () => {
    const list = (passed: number) =>
      Effect.flatMap(Files, (port) =>
        Effect.map(
          port.list(account, workspace, { after: passed === 0 ? undefined : filePlace(passed), limit }),
          (data) => ({ data })
        )
      )
    for (const passed of [0, 1, rows / 2, rows - limit, rows - 1, rows]) {
      const { found, fetched, entries } = await reads("gatewarden_file", list(passed))
      const expected = Array.from({ length: Math.min(limit, rows - passed) }, (_, at) => filePlace(passed + at + 1))
      assert.deepEqual(
        found.data.map(({ id, created_at }) => ({ id, created_at })),
        expected
      )
      assert.isAtMost(fetched, limit)
      assert.isAtMost(entries, 2 * limit)
    }
  })
})
