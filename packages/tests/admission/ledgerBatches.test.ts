/**
 * Holds and settlements of an account share calls whatever their keys are; what locks one workspace delays no other; and what is settled
 * leaves little behind.
 *
 * Source: docs/decisions/0003-decisions-and-money.md. PostgreSQL counts calls of functions and kinds of updates.
 */
import { assert, describe, it } from "@effect/vitest"
import { type Budget, BudgetLedger } from "@gatewarden/core/store"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { Effect, Fiber, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { openConnection } from "@gatewarden/testkit/stores/openConnection"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { spendingEvent } from "@gatewarden/conformance/internal/usage/spendingEvent"

const workspaceAt = (n: number) => `00000000-0000-4000-8000-${`${n}`.padStart(12, "0")}`
const keyAt = (n: number) => `${n}`.padStart(64, "0")

const withLedger = <A>(url: string, use: (ledger: BudgetLedger["Service"]) => Effect.Effect<A>): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(Effect.provide(Effect.flatMap(BudgetLedger, use), layerPostgresStore({ url: Redacted.make(url) })))
  )

const budget = (scope: Budget["scope"], entity: string, interval: Budget["interval"]): Budget => ({
  scope,
  entity,
  guardrail_id: null,
  interval,
  limit_nanos: 1_000_000n,
  include_byok: false
})

/** A key of its own in one of four workspaces, each with budgets of four scopes. */
const request = (n: number, id = `admission-${n}`) => ({
  admission_id: id,
  workspace_id: workspaceAt(n % 4),
  key_hash: keyAt(n),
  user_id: `user-${n}`,
  budgets: [
    budget("key_limit", keyAt(n), "lifetime"),
    budget("key", keyAt(n), "daily"),
    budget("member", `user-${n}`, "weekly"),
    budget("workspace_budget", workspaceAt(n % 4), "monthly")
  ],
  costs: [{ nanos: 100n, byok: false }],
  hold_seconds: 600
})

const event = (n: number, id = `admission-${n}`) =>
  spendingEvent({
    id,
    created_at: new Date().toISOString(),
    workspace_id: workspaceAt(n % 4),
    api_key_hash: keyAt(n),
    user_id: `user-${n}`,
    cost_nanos: 70n
  })

const places = Array.from({ length: 60 }, (_, n) => n)

/** How often a function was called, once no session but this one is left to tell. */
const callsOf = (url: string, name: string): Promise<number> =>
  eventually("the sessions of the store to end", async () => {
    const [row] = await execute(
      url,
      `select (select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
           and backend_type = 'client backend')::int as others,
         coalesce((select calls from pg_stat_user_functions where funcname = '${name}'), 0)::int as calls`
    )
    return row?.["others"] === 0 ? Number(row["calls"]) : undefined
  })

const prepared = async (): Promise<string> => {
  const url = await createMigratedDatabase(inject("postgres"))
  await withLedger(url, () => Effect.void)
  const name = new URL(url).pathname.slice(1)
  await execute(url, `alter database ${name} set track_functions = 'all'`)
  return url
}

describe("a ledger under load", () => {
  it("asks for what comes together in few calls, whatever the keys and workspaces are", async () => {
    const url = await prepared()
    const account_id = randomUUID()
    // The windows are there before.
    await withLedger(url, (ledger) =>
      Effect.forEach(places, (n) => ledger.hold(account_id, request(n, `before-${n}`)), { concurrency: "unbounded" })
    )
    const before = await callsOf(url, "gatewarden_hold_requests")
    const outcomes = await withLedger(url, (ledger) =>
      Effect.gen(function* () {
        const held = yield* Effect.forEach(places, (n) => ledger.hold(account_id, request(n)), {
          concurrency: "unbounded"
        })
        const settled = yield* Effect.forEach(places, (n) => ledger.settle(account_id, event(n)), {
          concurrency: "unbounded"
        })
        return { held, settled }
      })
    )
    for (const { held } of outcomes.held) assert.isTrue(held)
    for (const { charges, overdraft_nanos } of outcomes.settled) {
      assert.deepEqual(
        charges.map(({ nanos }) => nanos),
        [70n, 70n, 70n, 70n]
      )
      assert.strictEqual(overdraft_nanos, 0n)
    }
    // The first goes at once, the others while it is on its way: two calls, or one more for each turn of the loop that asking takes.
    const few = places.length / 10
    assert.isAtMost((await callsOf(url, "gatewarden_hold_requests")) - before, few)
    assert.isAtMost(await callsOf(url, "gatewarden_settle_events"), few)
    assert.isAtMost(await callsOf(url, "gatewarden_open_usage_days"), 1)
  })

  it("lets nobody wait for a workspace that somebody else has locked", async () => {
    const url = await prepared()
    const account_id = randomUUID()
    await withLedger(url, (ledger) =>
      Effect.gen(function* () {
        yield* Effect.forEach(places, (n) => ledger.hold(account_id, request(n)), { concurrency: "unbounded" })
        const blocker = yield* Effect.promise(() => openConnection(url))
        yield* Effect.promise(() => blocker.query("begin"))
        yield* Effect.promise(() =>
          blocker.query(`select from gatewarden_budget_window where entity = '${workspaceAt(0)}' for update`)
        )
        const [blocked, free] = [places.filter((n) => n % 4 === 0), places.filter((n) => n % 4 !== 0)]
        const waiting = yield* Effect.forEach(blocked, (n) =>
          Effect.forkChild(
            n % 8 === 0 ? ledger.hold(account_id, request(n, `later-${n}`)) : ledger.settle(account_id, event(n))
          )
        )
        // Were they held up by those, this would never end.
        const held = yield* Effect.forEach(free, (n) => ledger.hold(account_id, request(n, `later-${n}`)), {
          concurrency: "unbounded"
        })
        const settled = yield* Effect.forEach(free, (n) => ledger.settle(account_id, event(n)), {
          concurrency: "unbounded"
        })
        for (const outcome of held) assert.isTrue(outcome.held)
        for (const { charges } of settled) assert.lengthOf(charges, 4)
        yield* Effect.promise(() => blocker.query("rollback"))
        yield* Effect.promise(() => blocker.close())
        yield* Effect.forEach(waiting, Fiber.join)
        const states = yield* ledger.states(
          account_id,
          workspaceAt(0),
          [0, 1, 2, 3].map((n) => budget("workspace_budget", workspaceAt(n), "monthly"))
        )
        // Fifteen were held before in each. Of the first workspace's eight hold more and seven are settled, of the others all do both.
        assert.deepEqual(
          states.map(({ spent_nanos, held_nanos }) => [spent_nanos, held_nanos]),
          [
            [7n * 70n, 16n * 100n],
            [15n * 70n, 15n * 100n],
            [15n * 70n, 15n * 100n],
            [15n * 70n, 15n * 100n]
          ]
        )
      })
    )
  })

  it("leaves a few bytes of what is settled, and updates windows where they are", async () => {
    const url = await prepared()
    const account_id = randomUUID()
    const settled = await withLedger(url, (ledger) =>
      Effect.gen(function* () {
        for (let round = 0; round < 10; round++) {
          const ids = places.slice(0, 10).map((n) => [n, `round-${round}-${n}`] as const)
          yield* Effect.forEach(ids, ([n, id]) => ledger.hold(account_id, request(n, id)), { concurrency: "unbounded" })
          yield* Effect.forEach(ids, ([n, id]) => ledger.settle(account_id, event(n, id)), { concurrency: "unbounded" })
        }
        return yield* ledger.settle(account_id, { ...event(1, "round-0-1"), cost_nanos: 5n })
      })
    )
    // Another process answers the same, from what is stored.
    const again = await withLedger(url, (ledger) => ledger.settle(account_id, event(1, "round-0-1")))
    assert.lengthOf(again.charges, 4)
    assert.deepEqual(again, settled)
    const [kept] = await execute(
      url,
      `select (select count(*) from gatewarden_hold)::int as holds, (select count(*) from gatewarden_budget_list)::int as lists,
        (select max(pg_column_size(e.budget_list_id) + pg_column_size(e.charged_at) + pg_column_size(e.held_nanos)
            + coalesce(pg_column_size(e.overdrafts), 0))
          from gatewarden_usage_event e)::int as bytes`
    )
    assert.deepEqual(kept, { holds: 0, lists: 10, bytes: 21 })
    // Each session tells of its updates by itself, and windows that share a page fill it at first.
    await eventually("three of four updates to have stayed on their page", async () => {
      const [row] = await execute(
        url,
        "select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = 'gatewarden_budget_window'"
      )
      return Number(row?.["all"]) > 0 && Number(row?.["hot"]) >= 0.75 * Number(row?.["all"]) ? row : undefined
    })
  })
})
