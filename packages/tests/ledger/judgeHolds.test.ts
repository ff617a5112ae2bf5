/** The functions of the database decide about money as the pure functions of core do, on the same rows. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { type Amounts, judgeHold, judgeSettlement } from "../../core/src/ledger/judgeHolds.ts"
import type { BudgetState, Cost } from "../../core/src/ports/ledger.ts"
import { functions } from "../../postgres/src/migrations/functions.ts"
import { emptyEngines } from "../postgres/emptyEngines.ts"

interface Case {
  readonly states: readonly BudgetState[]
  readonly costs: readonly Cost[]
  readonly charged: Amounts
}

const state = (limit: bigint, spent: bigint, held: bigint, include_byok = false): BudgetState => ({
  budget: { scope: "key", entity: "a", guardrail_id: null, interval: "daily", limit_nanos: limit, include_byok },
  window_start: null,
  spent_nanos: spent,
  held_nanos: held
})
const shared = (nanos: bigint): Cost => ({ nanos, byok: false })
const byok = (nanos: bigint): Cost => ({ nanos, byok: true })
const nothing: Amounts = { nanos: 0n, byok_nanos: 0n }

const borders: readonly Case[] = [
  { states: [], costs: [shared(5n), byok(7n)], charged: nothing },
  { states: [state(10n, 0n, 0n)], costs: [], charged: nothing },
  { states: [state(0n, 0n, 0n)], costs: [shared(0n)], charged: nothing },
  { states: [state(0n, 0n, 0n)], costs: [shared(1n), byok(1n)], charged: { nanos: 1n, byok_nanos: 1n } },
  { states: [state(0n, 1n, 0n)], costs: [shared(0n), byok(9n)], charged: { nanos: 1n, byok_nanos: 0n } },
  { states: [state(10n, 3n, 4n)], costs: [shared(3n)], charged: { nanos: 3n, byok_nanos: 0n } },
  { states: [state(10n, 3n, 4n)], costs: [shared(4n)], charged: { nanos: 4n, byok_nanos: 0n } },
  { states: [state(10n, 3n, 4n)], costs: [shared(4n), shared(3n), shared(2n)], charged: nothing },
  { states: [state(10n, 3n, 4n, true)], costs: [byok(3n), byok(4n)], charged: { nanos: 0n, byok_nanos: 3n } },
  {
    states: [state(10n, 10n, 0n), state(10n, 0n, 9n, true)],
    costs: [byok(1n), byok(2n), shared(1n)],
    charged: nothing
  },
  { states: [state(100n, 79n, 0n), state(100n, 80n, 0n)], costs: [shared(1n)], charged: nothing },
  {
    states: [state(100n, 94n, 0n), state(100n, 95n, 0n)],
    costs: [shared(6n)],
    charged: { nanos: 95n, byok_nanos: 5n }
  },
  { states: [state(100n, 101n, 0n, true)], costs: [shared(0n)], charged: { nanos: 1n, byok_nanos: 1n } },
  { states: [state(100n, 130n, 0n)], costs: [], charged: { nanos: 20n, byok_nanos: 100n } },
  { states: [state(10n ** 30n, 10n ** 30n, 0n)], costs: [shared(1n)], charged: { nanos: 10n ** 30n, byok_nanos: 0n } }
]

/** Small amounts meet often; large ones pass every integer type. */
const amount = fc.oneof(fc.bigInt(0n, 20n), fc.bigInt(0n, 10n ** 30n))
const random: fc.Arbitrary<Case> = fc.record({
  states: fc.array(
    fc.tuple(amount, amount, amount, fc.boolean()).map((parts) => state(...parts)),
    { maxLength: 4 }
  ),
  costs: fc.array(fc.record({ nanos: amount, byok: fc.boolean() }), { maxLength: 4 }),
  charged: fc.record({ nanos: amount, byok_nanos: amount })
})

const judgedByCore = ({ states, costs, charged }: Case) => {
  const { held, due } = judgeHold(states, costs)
  const { charges } = judgeSettlement(states, charged)
  const kindsOf = (one: BudgetState) => due.filter(({ budget }) => budget === one.budget).map(({ kind }) => kind)
  return {
    nanos: held === undefined ? null : `${held.nanos}`,
    full_nanos: held === undefined ? null : `${held.nanos + held.byok_nanos}`,
    due: states.map(kindsOf),
    charged: charges.map(({ nanos }) => `${nanos}`),
    overdrafts: charges.map(({ overdraft_nanos }) => `${overdraft_nanos}`)
  }
}

const judgedBySql = (sql: SqlClient.SqlClient, cases: readonly Case[]) => {
  const rows = cases.map(({ states, costs, charged }, n) => ({
    n,
    limits: states.map(({ budget }) => `${budget.limit_nanos}`),
    counts_byok: states.map(({ budget }) => budget.include_byok),
    spent: states.map(({ spent_nanos }) => `${spent_nanos}`),
    held: states.map(({ held_nanos }) => `${held_nanos}`),
    costs: costs.map(({ nanos }) => `${nanos}`),
    is_byok: costs.map((cost) => cost.byok),
    charged: `${charged.nanos}`,
    byok_charged: `${charged.byok_nanos}`
  }))
  return sql<ReturnType<typeof judgedByCore>>`
    select h.nanos::text, h.full_nanos::text, coalesce(b.due, '[]') as due, coalesce(b.charged, '[]') as charged,
      coalesce(b.overdrafts, '[]') as overdrafts
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as c (n int, limits numeric[], counts_byok boolean[], spent numeric[],
      held numeric[], costs numeric[], is_byok boolean[], charged numeric, byok_charged numeric)
    cross join lateral gatewarden_judge_hold(c.limits, c.counts_byok, c.spent, c.held, c.costs, c.is_byok) h
    cross join lateral (
      select gatewarden_short_budgets(c.limits, c.counts_byok, c.spent, c.held, c.costs, c.is_byok) as places
    ) short
    cross join lateral (
      select json_agg(gatewarden_due(b.most, b.spent)
          || case when h.full_nanos is null and b.n = any (short.places) then '{denied}'::text[] else '{}' end order by b.n) as due,
        json_agg(k.charged::text order by b.n) as charged,
        json_agg(gatewarden_overdraft(b.most, b.spent, k.charged)::text order by b.n) as overdrafts
      from unnest(c.limits, c.counts_byok, c.spent) with ordinality as b (most, counts_byok, spent, n)
      cross join lateral (select gatewarden_counted(c.charged, c.byok_charged, b.counts_byok) as charged) k
    ) b
    order by c.n`
}

const rules = ["counted", "affords", "judge_hold", "short_budgets", "due", "overdraft"].map(
  (name) => functions.find((one) => one.name === `gatewarden_${name}`)?.sql ?? ""
)

describe.each(Object.entries(emptyEngines()))("the rule of money on %s", (_, engine) => {
  const test = (name: string, body: Effect.Effect<void, unknown, SqlClient.SqlClient>) =>
    it.live(name, () => Effect.flatMap(engine, (layer) => Effect.provide(body, layer)))

  test(
    "is the rule of core",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const rule of rules) yield* sql.unsafe(rule)
      const cases = [...borders, ...fc.sample(random, { numRuns: 2_000, seed: fc.readConfigureGlobal().seed ?? 0 })]
      const judged = yield* judgedBySql(sql, cases)
      assert.lengthOf(judged, cases.length)
      for (const [index, one] of cases.entries())
        assert.deepEqual(
          { ...judged[index] },
          judgedByCore(one),
          JSON.stringify(one, (_key, value) => (typeof value === "bigint" ? `${value}` : value))
        )
    })
  )
})
