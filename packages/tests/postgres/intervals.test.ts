/** Intervals mean the same in TypeScript and in SQL, and one that there is not means nothing in either. */
import { PgClient } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { BudgetInterval, budgetIntervals, rowOfInterval } from "@gatewarden/contract/internal"
import { BudgetLedger, windowStart } from "@gatewarden/core/store"
import { Effect, Exit, Layer, ManagedRuntime, Redacted, References } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { byHand } from "@gatewarden/conformance/internal/HandClock"
import { createDatabase } from "@gatewarden/testkit/stores/postgresServer"
import { layerPostgresStore } from "../../postgres/src/store/layerStore.ts"
import { migrate } from "../../postgres/src/migrations/migrate.ts"
import { schema } from "../../postgres/src/migrations/schema.ts"

const quiet = Layer.succeed(References.MinimumLogLevel, "None")

let url: string
let runtime: ManagedRuntime.ManagedRuntime<SqlClient.SqlClient, unknown>

beforeAll(async () => {
  url = await createDatabase(inject("postgres"))
  runtime = ManagedRuntime.make(Layer.merge(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }), quiet))
  await runtime.runPromise(migrate(schema))
})
afterAll(() => runtime.dispose())

const asked = (text: string) =>
  runtime.runPromise(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<{ readonly answer: unknown }>(text)))
const answer = async (text: string) => (await asked(`select ${text} as answer`))[0]?.answer

describe("intervals", () => {
  it("have places that are given once and have no gap", () => {
    assert.deepStrictEqual(
      budgetIntervals.map(({ place }) => place).toSorted((a, b) => a - b),
      budgetIntervals.map((_, index) => index + 1)
    )
  })

  it("start where the database says that they start", async () => {
    for (const interval of BudgetInterval.options)
      for (const at of [
        "2023-12-31T23:59:59.999Z",
        "2024-01-01T00:00:00.000Z",
        "2024-02-29T12:00:00.000Z",
        "2027-01-03T00:00:00.000Z"
      ]) {
        const start = windowStart(interval, Date.parse(at))
        const inSql = await answer(
          `(extract(epoch from nullif(gatewarden_window_start('${interval}', '${at}'), '-infinity')) * 1000)::bigint::text`
        )
        assert.strictEqual(inSql, start === null ? null : String(start), `${interval} ${at}`)
      }
  })

  it("end where the next begins", async () => {
    for (const { name, unit } of budgetIntervals) {
      const start = `gatewarden_window_start('${name}', '2024-02-29T12:00:00Z')`
      const end = `gatewarden_window_end('${name}', ${start})`
      assert.isTrue(
        await answer(unit === null ? `${end} = 'infinity'` : `gatewarden_window_start('${name}', ${end}) = ${end}`)
      )
      if (unit !== null)
        assert.isTrue(await answer(`gatewarden_window_start('${name}', ${end} - interval '1 millisecond') = ${start}`))
    }
  })
})

describe("an interval that there is not", () => {
  const places = [
    "gatewarden_window_start('yearly', now())",
    "gatewarden_window_end('yearly', now())",
    "gatewarden_interval_place('yearly')"
  ]

  it.each(places)("is refused by %s", async (text) => {
    const exit = await runtime.runPromise(Effect.exit(Effect.promise(() => answer(text))))
    assert.match(String(Exit.isFailure(exit) && exit.cause), /there is no interval "yearly"/)
  })

  it("is never read as a lifetime by the ledger", async () => {
    const budget = {
      scope: "workspace_budget",
      entity: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
      guardrail_id: null,
      interval: "yearly" as BudgetInterval,
      limit_nanos: 1n,
      include_byok: false
    } as const
    const exit = await Effect.runPromise(
      Effect.exit(
        Effect.flatMap(BudgetLedger, (ledger) =>
          ledger.states("0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e00", budget.entity, [budget])
        )
      ).pipe(Effect.provide(Layer.merge(layerPostgresStore({ url: Redacted.make(url) }), quiet)), Effect.scoped)
    )
    assert.match(String(Exit.isFailure(exit) && exit.cause), /there is no interval "yearly"/)
  })

  it("is refused by TypeScript, at the latest when it runs", () => {
    // @ts-expect-error: no row of the table has this name.
    const interval: BudgetInterval = "yearly"
    assert.throws(() => windowStart(interval, 0), /There is no interval "yearly"/)
    assert.throws(() => rowOfInterval(interval), /There is no interval "yearly"/)
  })

  it("is one that SQL asks of every `case` to refuse", () => {
    for (const name of ["interval_place", "window_start", "window_end"])
      assert.match(
        schema.functions.find((one) => one.name === `gatewarden_${name}`)?.sql ?? "",
        /else [\w(]*gatewarden_refuse_interval\(asked_interval\)/
      )
  })
})

describe("an interval that a later version adds", () => {
  it("leaves the slots of a running server as they are: its limits hold, and the windows of the interval are held too", async () => {
    const later = schema.functions.map(({ name, sql }) => ({
      name,
      sql: sql.replaceAll("when 'lifetime' then 4", "when 'lifetime' then 4 when 'quarterly' then 5")
    }))
    const account_id = "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e00"
    const [key_hash, user_id, workspace_id] = ["a".repeat(64), "user-1", "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11"]
    const limits = [
      ["key_limit", key_hash, 1000n],
      ["member", user_id, 500n],
      ["workspace_budget", workspace_id, 300n]
    ] as const
    const budgets = limits.map(([scope, entity, limit_nanos]) => ({
      scope,
      entity,
      guardrail_id: null,
      interval: "daily" as const,
      limit_nanos,
      include_byok: false
    }))
    const hold = (nanos: bigint) =>
      Effect.flatMap(BudgetLedger, (ledger) =>
        ledger.hold(account_id, {
          admission_id: crypto.randomUUID(),
          workspace_id,
          key_hash,
          user_id,
          budgets,
          costs: [{ nanos, byok: false }],
          hold_seconds: 60
        })
      )
    const inDatabase = (sql: string) => Effect.promise(() => asked(sql))
    const held = await Effect.runPromise(
      Effect.gen(function* () {
        const before = yield* hold(100n)
        yield* Effect.promise(() => runtime.runPromise(migrate({ ...schema, functions: later })))
        yield* inDatabase(`insert into gatewarden_budget_window
            (account_id, spender, entity, interval, window_start, window_end, spent_nanos, byok_spent_nanos, held_nanos, full_held_nanos)
          select account_id, spender, entity, 'quarterly', window_start, window_end + interval '60 days', 0, 0, 0, 0
          from gatewarden_budget_window where account_id = '${account_id}'`)
        const within = yield* hold(150n)
        const beyond = yield* hold(51n)
        return [before, within, beyond].map((outcome) => outcome.held)
      }).pipe(
        byHand({ now: Date.parse("2026-05-20T12:00:00Z") }),
        Effect.provide(Layer.merge(layerPostgresStore({ url: Redacted.make(url) }), quiet)),
        Effect.scoped
      )
    )
    assert.deepStrictEqual(held, [true, true, false])
    const [row] = await asked(
      `select string_agg(concat_ws(' ', spender, interval, held_nanos), ', ' order by spender, interval) as answer
        from gatewarden_budget_window where account_id = '${account_id}' and interval in ('daily', 'quarterly')`
    )
    assert.strictEqual(
      row?.answer,
      "key daily 250, key quarterly 150, user daily 250, user quarterly 150, workspace daily 250, workspace quarterly 150"
    )
  })
})
