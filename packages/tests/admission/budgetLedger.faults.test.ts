/** A ledger in which statements fail, connections break and callers leave: what is held and charged is still exact. */
import { assert, describe, it } from "@effect/vitest"
import { BudgetLedger, OutcomeUnknown, Retention, type StorePorts } from "@gatewarden/core/store"
import { createAccount } from "@gatewarden/core/effect"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { Cause, Effect, Exit, Fiber, Redacted } from "effect"
import { SqlError } from "effect/sql"
import { inject } from "vitest"
import { byHand } from "@gatewarden/conformance/internal/HandClock"
import { key_hash, spentTogether, user_id, workspace_id } from "@gatewarden/testkit/server/spentBudgets"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { openConnection } from "@gatewarden/testkit/stores/openConnection"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { spendingEvent } from "@gatewarden/conformance/internal/usage/spendingEvent"

const nanos = 1_000_000n

const request = (admission_id: string) => ({
  admission_id,
  workspace_id,
  key_hash,
  user_id,
  budgets: spentTogether,
  costs: [{ nanos, byok: false }],
  hold_seconds: 600
})

const event = (id: string) =>
  spendingEvent({
    id,
    created_at: new Date().toISOString(),
    workspace_id,
    api_key_hash: key_hash,
    user_id,
    cost_nanos: nanos
  })

/** Every second time something goes wrong, in one way and in another; a sequence is not rolled back. */
const failing = (table: string, one: string, other: string): readonly string[] => [
  `create sequence faults_of_${table}`,
  `create function fail_${table}() returns trigger language plpgsql as $$
    declare n bigint := nextval('faults_of_${table}');
    begin
      if n % 4 = 2 then ${one}; elsif n % 4 = 0 then ${other}; end if;
      return new;
    end $$`,
  `create trigger failing before insert on ${table} for each row execute function fail_${table}()`
]
const serialization = "raise exception 'injected' using errcode = '40001'"
const deadlock = "raise exception 'injected' using errcode = '40P01'"
const broken = "perform pg_terminate_backend(pg_backend_pid())"

const withLedger = <A>(
  url: string,
  use: (ledger: BudgetLedger["Service"]) => Effect.Effect<A, never, StorePorts>
): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(Effect.provide(Effect.flatMap(BudgetLedger, use), layerPostgresStore({ url: Redacted.make(url) })))
  )

describe("a ledger in trouble", () => {
  const account_id = crypto.randomUUID()

  it("has held and charged everything once, whatever was sent again", async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    await withLedger(url, () => Effect.void)
    await execute(
      url,
      ...failing("gatewarden_hold", serialization, deadlock),
      ...failing("gatewarden_usage_event", serialization, broken)
    )
    const ids = Array.from({ length: 24 }, (_, index) => `admission-${index}`)
    const states = await withLedger(url, (ledger) =>
      Effect.gen(function* () {
        for (const id of ids) assert.isTrue((yield* ledger.hold(account_id, request(id))).held)
        for (const id of ids.slice(0, 16)) {
          const settled = yield* ledger.settle(account_id, event(id))
          assert.lengthOf(settled.charges, spentTogether.length)
          assert.deepEqual(yield* ledger.settle(account_id, event(id)), settled)
        }
        return yield* ledger.states(account_id, workspace_id, spentTogether)
      })
    )
    for (const { spent_nanos, held_nanos } of states)
      assert.deepEqual([spent_nanos, held_nanos], [16n * nanos, 8n * nanos])
  })

  /** Asks for the first while the windows are locked, and for the others meanwhile, so that those go together. */
  const whileBlocked = <A>(url: string, first: Effect.Effect<A>, others: readonly Effect.Effect<A>[]) =>
    Effect.gen(function* () {
      const blocker = yield* Effect.promise(() => openConnection(url))
      yield* Effect.promise(() => blocker.query("begin"))
      yield* Effect.promise(() => blocker.query("select from gatewarden_budget_window for update"))
      const fibers = yield* Effect.forEach([first, ...others], (one) => Effect.forkChild(one))
      yield* Effect.promise(() =>
        eventually("the first to wait", async () => {
          const rows = await execute(
            url,
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
          )
          return rows.length > 0 ? true : undefined
        })
      )
      return { fibers, release: Effect.promise(() => blocker.query("rollback").then(blocker.close)) }
    })

  /** What the database does the first time that it sees an id, before it writes it down; a sequence is not rolled back. */
  const once = (table: string, column: string, id: string, what: string): readonly string[] => [
    `create sequence seen_${id}`,
    `create function meet_${id}() returns trigger language plpgsql as $$
      begin
        if new.${column} = '${id}' and nextval('seen_${id}') = 1 then ${what}; end if;
        return new;
      end $$`,
    `create trigger meeting_${id} before insert on ${table} for each row execute function meet_${id}()`
  ]
  const refused = "raise exception 'injected' using errcode = '22000'"

  it("answers each of those that went together by itself", async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    await withLedger(url, () => Effect.void)
    await execute(
      url,
      ...once("gatewarden_hold", "admission_id", "bad_hold", `perform setval('seen_bad_hold', 1, false); ${refused}`),
      ...once("gatewarden_hold", "admission_id", "broken_hold", broken),
      ...once("gatewarden_usage_event", "id", "bad_event", `perform setval('seen_bad_event', 1, false); ${refused}`),
      ...once("gatewarden_usage_event", "id", "broken_event", broken)
    )
    const states = await withLedger(url, (ledger) =>
      Effect.gen(function* () {
        const ask = (id: string) => Effect.exit(ledger.hold(account_id, request(id)))
        const told = Effect.fnUntraced(function* (asked: readonly Effect.Effect<Exit.Exit<unknown>>[]) {
          const [first = Effect.die("nothing"), ...others] = asked
          const { fibers, release } = yield* whileBlocked(url, first, others)
          yield* release
          return yield* Effect.forEach(fibers, Fiber.join)
        })
        const isUnknown = (exit: Exit.Exit<unknown>) =>
          Exit.isFailure(exit) &&
          exit.cause.reasons.some((r) => Cause.isDieReason(r) && r.defect instanceof OutcomeUnknown)
        assert.isTrue(Exit.isSuccess(yield* ask("bad_event")))
        assert.deepEqual((yield* told(["a", "b", "bad_hold", "c", "b"].map(ask))).map(Exit.isSuccess), [
          true,
          true,
          false,
          true,
          false
        ])
        // Nobody knows what became of them, so they are told that, and what they may hold is given back.
        assert.deepEqual((yield* told(["d", "broken_hold", "e"].map(ask))).map(isUnknown), [false, true, true])
        const settle = (id: string) => Effect.exit(ledger.settle(account_id, event(id)))
        const settled = yield* told(["a", "b", "bad_event", "b", "broken_event"].map(settle))
        assert.deepEqual(settled.map(Exit.isSuccess), [true, true, false, true, true])
        assert.deepEqual(settled[1], settled[3])
        assert.lengthOf(yield* Effect.promise(() => execute(url, "select from gatewarden_usage_event")), 3)
        return yield* ledger.states(account_id, workspace_id, spentTogether)
      })
    )
    // `bad_event`, `c` and `d` are held still; nothing was held for `broken_event`.
    for (const { spent_nanos, held_nanos } of states)
      assert.deepEqual([spent_nanos, held_nanos], [3n * nanos, 3n * nanos])
  })

  it("holds nothing for whoever has left", async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    const held = await withLedger(url, (ledger) =>
      Effect.gen(function* () {
        yield* ledger.hold(account_id, request("first"))
        yield* ledger.release(account_id, "first")
        const hold = (id: string) => ledger.hold(account_id, request(id))
        const { fibers, release } = yield* whileBlocked(url, hold("a"), ["b", "c", "d", "e"].map(hold))
        // The first, whose statement is on its way, and one of those that wait for it.
        const leaving = yield* Effect.forkChild(
          Fiber.interruptAll([fibers[0], fibers[2]].filter((f) => f !== undefined))
        )
        yield* release
        yield* Fiber.join(leaving)
        for (const index of [1, 3, 4]) {
          const fiber = fibers[index]
          if (fiber !== undefined) assert.isTrue((yield* Fiber.join(fiber)).held)
        }
        return yield* ledger.states(account_id, workspace_id, spentTogether)
      })
    )
    for (const { held_nanos } of held) assert.strictEqual(held_nanos, 3n * nanos)
  })

  it("lets nobody hold, charge or give back while windows are opened", async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    const states = await withLedger(url, (ledger) =>
      Effect.gen(function* () {
        for (const id of ["given back", "settled", "expired"]) yield* ledger.hold(account_id, request(id))
        const opening = yield* Effect.promise(() => openConnection(url))
        const asking = yield* Effect.promise(() => openConnection(url))
        yield* Effect.promise(async () => {
          await opening.query("begin")
          await opening.query(
            `select pg_advisory_xact_lock(hashtextextended('gatewarden/spending/' || '${account_id}', 0))`
          )
        })
        const fibers = yield* Effect.forEach(
          [
            ledger.release(account_id, "given back"),
            ledger.settle(account_id, event("settled")),
            ledger.hold(account_id, request("held")),
            Effect.promise(() =>
              asking.query(`select gatewarden_sweep_holds('${account_id}', now() + interval '1 day', 1)`)
            )
          ] as readonly Effect.Effect<unknown>[],
          (one) => Effect.forkChild(one)
        )
        yield* Effect.promise(() =>
          eventually("all of them to wait for the account", async () => {
            const waiting = await execute(
              url,
              "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'"
            )
            return waiting.length === fibers.length ? true : undefined
          })
        )
        yield* Effect.promise(() => opening.query("commit"))
        yield* Effect.forEach(fibers, Fiber.join)
        yield* Effect.promise(() => Promise.all([opening.close(), asking.close()]))
        return yield* ledger.states(account_id, workspace_id, spentTogether)
      })
    )
    for (const { spent_nanos, held_nanos } of states) assert.deepEqual([spent_nanos, held_nanos], [nanos, nanos])
  })

  it("records nothing on a snapshot that lacks a window which was opened since", async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    await withLedger(url, () => Effect.void)
    const settling = await openConnection(url)
    try {
      for (const opened of ["key", "another"]) {
        await settling.query("begin isolation level repeatable read")
        await settling.query("select from gatewarden_spending")
        const budgets = spentTogether.map((budget) => ({ ...budget, entity: opened }))
        await withLedger(url, (ledger) => ledger.hold(account_id, { ...request(opened), budgets }))
        const settled = settling.query(`select gatewarden_settle_events('${account_id}', null, null, '[]') as answer`)
        // The first adds the account's row, which cannot be seen; the second changes it.
        const problem = await settled.then(
          () => "none",
          (error: unknown) => (SqlError.isSqlError(error) ? error.reason._tag : String(error))
        )
        assert.strictEqual(problem, "SerializationError")
        await settling.query("rollback")
      }
    } finally {
      await settling.close()
    }
  })

  it("forgets what is long over, and nothing of what counts", async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    const day = 86_400_000
    const clock = { now: Date.parse("2026-01-05T12:00:00.000Z") }
    const dated = (id: string) => ({ ...event(id), created_at: new Date(clock.now).toISOString() })
    const [states, first, late] = await withLedger(url, (ledger) =>
      Effect.gen(function* () {
        const made = yield* createAccount("swept")
        if (made === undefined) return yield* Effect.die(new Error("account exists"))
        const account_id = made.account.id
        const retention = yield* Retention
        yield* ledger.hold(account_id, request("given back"))
        yield* ledger.release(account_id, "given back")
        yield* ledger.hold(account_id, request("old"))
        const old = yield* ledger.settle(account_id, dated("old"))
        clock.now += 45 * day
        yield* ledger.hold(account_id, request("settled"))
        yield* ledger.settle(account_id, dated("settled"))
        for (const what of ["holds", "budget_windows"] as const) yield* retention.sweep(what, (35 * day) / 1000, 1_000)
        return [
          yield* ledger.states(account_id, workspace_id, spentTogether),
          old,
          yield* ledger.settle(account_id, dated("old"))
        ] as const
      }).pipe(byHand(clock))
    )
    assert.deepEqual(
      states.map(({ spent_nanos }) => spent_nanos / nanos),
      [2n, 1n, 1n, 1n]
    )
    // What was settled stands with its event, which stays.
    assert.lengthOf(late.charges, spentTogether.length)
    assert.deepEqual(late, first)
    assert.isEmpty(await execute(url, "select admission_id from gatewarden_hold"))
    const ends = await execute(url, "select min(window_end)::text as first from gatewarden_budget_window")
    assert.isAtLeast(Date.parse(String(ends[0]?.["first"])), clock.now - 35 * day)
  })
})
