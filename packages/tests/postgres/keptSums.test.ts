/**
 * Kept sums equal the recorded events whoever records them, and what reads them does not grow with history.
 *
 * Source: docs/decisions/0003-decisions-and-money.md: three million events must cost what thirty thousand cost.
 */
import { daysOfUnit, ResetInterval } from "@gatewarden/contract/internal"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { type Budget, BudgetLedger, Retention, UsageLog, windowStart } from "@gatewarden/core/store"
import { Effect, Layer, ManagedRuntime, Redacted, References, Stream } from "effect"
import { inject } from "vitest"
import { byHand } from "@gatewarden/conformance/internal/HandClock"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { openConnection } from "@gatewarden/testkit/stores/openConnection"
import { entersIds, ofTable, opensDays } from "@gatewarden/testkit/stores/usageTables"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { spendingEvent } from "@gatewarden/conformance/internal/usage/spendingEvent"
import { layerPostgres } from "../../postgres/src/connection/layerPostgres.ts"
import { layerStore } from "../../postgres/src/store/layerStore.ts"

const quiet = Layer.succeed(References.MinimumLogLevel, "None")
const stores: { dispose: () => Promise<void> }[] = []
afterAll(() => Promise.all(stores.map((store) => store.dispose())))

const openStore = (url: string) => {
  const runtime = ManagedRuntime.make(
    layerStore.pipe(
      Layer.provideMerge(layerPostgres({ url: Redacted.make(url), writeConnections: 2, maxConnections: 1 })),
      Layer.provideMerge(quiet)
    )
  )
  stores.push(runtime)
  return runtime
}

const account_id = "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e00"
const workspaceAt = (n: number) => `00000000-0000-4000-8000-${`${n}`.padStart(12, "0")}`
const api_key_hash = "a".repeat(64)

/** Events of a key, a member and 43 workspaces, `every` minutes apart and back from now; each costs one nano-dollar, and two of BYOK. */
const seed = (prefix: string, count: number, every: number) => `
  insert into gatewarden_usage_event
    (account_id, id, workspace_id, created_at, recorded_at, prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens,
     tool_calls, cost_nanos, byok_cost_nanos, byok, guardrail_invoked, response_cached, status, model, variant, provider,
     context_length_bucket, sample_weight, api_key_hash, user_id)
  select '${account_id}', '${prefix}' || n, ('00000000-0000-4000-8000-' || lpad((n % 43)::text, 12, '0'))::uuid,
    now() - n * interval '${every} minutes', now(), 0, 0, 0, 0, 0, 1, 2, false, false, false, 'ok', 'm', '', 'p', '1K', 1,
    '${api_key_hash}', 'user-1'
  from generate_series(0, ${count - 1}) as n`

/** Entities whose sums are not what their events come to, by day where days are kept apart. */
const differing = (url: string) =>
  execute(
    url,
    `with kept as (
       select spender, entity, day, sum(charged_nanos) as charged, sum(charged_byok_nanos) as charged_byok
       from gatewarden_spent where account_id = '${account_id}' group by spender, entity, day
     ), first as (
       select spender, entity, min(day) filter (where day > '-infinity') as day from kept group by spender, entity
     ), event as (
       select s.spender, s.entity, cost_nanos, byok_cost_nanos,
         (coalesce(charged_at, created_at) at time zone 'UTC')::date as day
       from gatewarden_usage_event
       cross join lateral (values ('key', api_key_hash), ('user', user_id), ('workspace', workspace_id::text), ('workspace_user', user_id || ' ' || workspace_id::text)) s (spender, entity)
       where account_id = '${account_id}' and s.entity is not null
     ), expected as (
       select a.spender, a.entity, case when a.day < f.day then '-infinity' else a.day end as day, sum(a.cost_nanos) as charged,
         sum(a.byok_cost_nanos) as charged_byok
       from event a join first f using (spender, entity) group by 1, 2, 3
     )
     (table kept except table expected) union all (table expected except table kept)`
  )

const record = (id: string, created_at: string, cost_nanos = 1n) =>
  Effect.flatMap(UsageLog, (log) =>
    log.record(
      account_id,
      Stream.succeed([
        spendingEvent({ id, created_at, workspace_id: workspaceAt(0), api_key_hash, user_id: "user-1", cost_nanos })
      ])
    )
  )

describe("imports", () => {
  const watched: Budget = {
    scope: "key_limit",
    entity: api_key_hash,
    guardrail_id: null,
    interval: "lifetime",
    limit_nanos: 10n ** 12n,
    include_byok: false
  }
  const hold = (admission_id: string) =>
    Effect.flatMap(BudgetLedger, (ledger) =>
      ledger.hold(account_id, {
        admission_id,
        workspace_id: workspaceAt(0),
        key_hash: api_key_hash,
        user_id: "user-1",
        budgets: [watched],
        costs: [{ nanos: 1n, byok: false }],
        hold_seconds: 600
      })
    )
  const events = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, n) =>
      spendingEvent({
        id: `${prefix}-${n}`,
        created_at: new Date().toISOString(),
        workspace_id: workspaceAt(0),
        api_key_hash,
        user_id: "user-1",
        cost_nanos: 1n
      })
    )

  it("keep nobody from opening windows while they insert, and charge those that were opened meanwhile", async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    const store = openStore(url)
    await store.runPromise(record("first", new Date().toISOString()))
    const other = await openConnection(url)
    await other.query("begin")
    // The import waits for this one, which has the id of one of its events.
    await other.query(seed("import-", 1, 0).replace("'import-' || n", "'import-1'"))
    await other.query(entersIds)
    const importing = store.runPromise(
      Effect.flatMap(UsageLog, (log) => log.record(account_id, Stream.make(events("import", 2), events("more", 3))))
    )
    await eventually("the import to wait", async () => {
      const rows = await execute(
        url,
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
      )
      return rows.length > 0 ? true : undefined
    })
    const outcome = await store.runPromise(hold("meanwhile"))
    assert.deepEqual(
      outcome.states.map(({ spent_nanos }) => spent_nanos),
      [1n]
    )
    await other.query("rollback")
    await other.close()
    await importing
    const states = await store.runPromise(
      Effect.flatMap(BudgetLedger, (ledger) => ledger.states(account_id, workspaceAt(0), [watched]))
    )
    assert.deepEqual(
      states.map(({ spent_nanos, held_nanos }) => [spent_nanos, held_nanos]),
      [[6n, 1n]]
    )
    assert.isEmpty(await differing(url))
  })

  it("look at the windows of their own spenders alone", async () => {
    const counts = await Promise.all(
      [10, 2_000].map(async (windows) => {
        const url = await createMigratedDatabase(inject("postgres"))
        const before = openStore(url)
        await before.runPromise(hold("before"))
        await before.dispose()
        await execute(
          url,
          `insert into gatewarden_budget_window
             (account_id, spender, entity, interval, window_start, window_end, spent_nanos, byok_spent_nanos, held_nanos, full_held_nanos)
           select '${account_id}', 'key', n::text, 'lifetime', '-infinity', 'infinity', 0, 0, 0, 0 from generate_series(1, ${windows}) n`,
          "analyze"
        )
        const read = await rowsRead(url, ["gatewarden_budget_window"])
        const store = openStore(url)
        await store.runPromise(
          Effect.flatMap(UsageLog, (log) => log.record(account_id, Stream.succeed(events("import", 20))))
        )
        await store.dispose()
        return (await rowsRead(url, ["gatewarden_budget_window"])) - read
      })
    )
    const [few = 0, many = 0] = counts
    assert.isAtMost(many, few + 10)
  })
})

describe("kept sums", () => {
  it("let nobody wait for a transaction that has recorded and not committed, and miss nothing of it", async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    const store = openStore(url)
    const at = new Date().toISOString()
    await store.runPromise(record("first", at))
    const late = await openConnection(url)
    await late.query("begin")
    await late.query(seed("late-", 1, 0))
    // Were the row of the day locked for them too, these would wait until the end of the test.
    await store.runPromise(record("second", at))
    await store.runPromise(record("third", at))
    await late.query("commit")
    await late.close()
    await store.runPromise(record("fourth", at))
    assert.isEmpty(await differing(url))
    // As many rows of the day as there were writers at once.
    assert.lengthOf(await execute(url, "select from gatewarden_spent where spender = 'key'"), 2)
  })

  it("keep the days of two windows of the longest unit and one row for what was before", async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    const store = openStore(url)
    await store.runPromise(Effect.void)
    await execute(
      url,
      opensDays("now() - interval '2100 days'", "now() + interval '1 day'"),
      seed("old-", 2_000, 1_440)
    )
    const future = new Date(Date.now() + 86_400_000).toISOString()
    await store.runPromise(record("new", future))
    await store.runPromise(record("again", new Date(Date.now() + 2 * 86_400_000).toISOString()))
    assert.isEmpty(await differing(url))
    const [key] = await execute(
      url,
      `select count(*)::int as days, sum(charged_nanos)::text as total from gatewarden_spent where spender = 'key'`
    )
    assert.isAtMost(Number(key?.["days"]), 2 * Math.max(...Object.values(daysOfUnit)) + 2)
    assert.strictEqual(key?.["total"], "2002")
  })

  it("stay apart for every day of each window and of the one before, when the job merges those that are older", async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    const store = openStore(url)
    const day = 86_400_000
    // The last month of a quarter and of a half of the year.
    const now = Date.parse("2025-12-17T12:00:00.000Z")
    const starts = ResetInterval.options.map((interval) => {
      const start = windowStart(interval, now) ?? assert.fail(interval)
      return [start, windowStart(interval, start - day) ?? assert.fail(interval)]
    })
    const kept = [...new Set(starts.flat())].sort((a, b) => a - b)
    const [first = 0] = kept
    await store.runPromise(Effect.void)
    await execute(
      url,
      `insert into gatewarden_spent (account_id, spender, entity, day, charged_nanos, charged_byok_nanos) values ${[
        first - 2 * day,
        first - day,
        ...kept
      ]
        .map((millis) => `('${account_id}', 'key', '${api_key_hash}', '${new Date(millis).toISOString()}', 1, 2)`)
        .join(", ")}`
    )
    const merged = await store.runPromise(
      Effect.flatMap(Retention, (retention) => retention.mergeSpending(500)).pipe(byHand({ now }))
    )
    assert.strictEqual(merged, 2)
    const rows = await execute(
      url,
      "select day::text as day, charged_nanos::int as charged from gatewarden_spent order by 1"
    )
    assert.deepEqual(
      rows.map(({ day, charged }) => [day, charged]),
      [["-infinity", 2], ...kept.map((millis) => [new Date(millis).toISOString().slice(0, 10), 1])]
    )
  })

  it("open windows, and tell states, with as few rows read of much history as of little", async () => {
    const counts = await Promise.all(
      // Over the same three weeks.
      [
        [1_000, 30],
        [30_000, 1]
      ].map(async ([events = 0, every = 0]) => {
        const url = await createMigratedDatabase(inject("postgres"))
        const empty = openStore(url)
        await empty.runPromise(Effect.void)
        await empty.dispose()
        await execute(
          url,
          opensDays("now() - interval '30 days'", "now() + interval '1 day'"),
          seed("seeded-", events, every),
          "analyze"
        )
        const budget = (entity: string, scope: Budget["scope"], interval: Budget["interval"]): Budget => ({
          scope,
          entity,
          guardrail_id: null,
          interval,
          limit_nanos: 10n ** 12n,
          include_byok: true
        })
        const budgets = [
          budget(api_key_hash, "key_limit", "daily"),
          budget("user-1", "member", "monthly"),
          ...Array.from({ length: 43 }, (_, n) => budget(workspaceAt(n), "workspace_budget", "lifetime"))
        ]
        const before = await rowsRead(url)
        const store = openStore(url)
        const spent = await store.runPromise(
          Effect.gen(function* () {
            const ledger = yield* BudgetLedger
            const states = yield* ledger.states(account_id, workspaceAt(0), budgets)
            const outcome = yield* ledger.hold(account_id, {
              admission_id: "admission",
              workspace_id: workspaceAt(0),
              key_hash: api_key_hash,
              user_id: "user-1",
              budgets,
              costs: [{ nanos: 1n, byok: false }],
              hold_seconds: 600
            })
            assert.isTrue(outcome.held)
            assert.deepEqual(outcome.states, states)
            const [first] = yield* ledger.states(account_id, workspaceAt(0), budgets)
            assert.strictEqual(first?.held_nanos, 1n)
            return states.slice(2).reduce((sum, { spent_nanos }) => sum + spent_nanos, 0n)
          })
        )
        assert.strictEqual(spent, 3n * BigInt(events))
        await store.dispose()
        return (await rowsRead(url)) - before
      })
    )
    const [few = 0, many = 0] = counts
    assert.isAtMost(many, 1.1 * few)
  })
})

/** Rows read of tables, by indexes or whole, once every other session has ended and told. */
const rowsRead = (
  url: string,
  tables: readonly string[] = ["gatewarden_usage_event", "gatewarden_spent"]
): Promise<number> =>
  eventually("the sessions of the store to end", async () => {
    const [row] = await execute(
      url,
      `select (select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
           and backend_type = 'client backend')::int as others,
         (select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read) from pg_stat_user_tables
           where ${tables.map(ofTable).join(" or ")})::int as read`
    )
    return row?.["others"] === 0 ? Number(row["read"]) : undefined
  })
