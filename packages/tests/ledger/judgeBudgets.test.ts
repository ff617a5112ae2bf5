import { assert, describe, it } from "@effect/vitest"
import { BudgetInterval } from "@gatewarden/contract"
import * as fc from "fast-check"
import { editLimits } from "../decision/applyEdits.ts"
import { affords } from "../../core/src/ledger/judgeHolds.ts"
import type { Budget, BudgetState } from "../../core/src/ports/ledger.ts"
import { printedEdit } from "../../core/src/policy/smallestChange.ts"
import { budgetObjections, fieldOf } from "../../core/src/ledger/judgeBudgets.ts"
import { parseUsd } from "../../core/src/value/money.ts"

const state = (fields: Partial<Budget>, spent_nanos = 0n): BudgetState => ({
  budget: {
    scope: "key_limit",
    entity: "0".repeat(64),
    guardrail_id: null,
    interval: "lifetime",
    limit_nanos: 0n,
    include_byok: false,
    ...fields
  },
  window_start: null,
  spent_nanos,
  held_nanos: 0n
})

const nanos = fc.oneof(fc.bigInt(1n, 1_000_000_000n), fc.bigInt(1n, 1_000_000_000_000_000_000n))

const limitFor = (cost: bigint): unknown => budgetObjections([state({})], { nanos: cost, byok: false })[0]?.edit?.to

describe("budgetObjections", () => {
  it("asks for a limit that pays, though not every amount can be written as a number", () => {
    fc.assert(
      fc.property(nanos, nanos, (spent, cost) => {
        const broken = state({}, spent)
        const edits = budgetObjections([broken], { nanos: cost, byok: false }).flatMap(({ edit }) =>
          edit ? printedEdit(edit) : []
        )
        assert.lengthOf(edits, 1)
        assert.isTrue(
          editLimits([broken], edits).every((changed) => affords(changed, { nanos: cost, byok: false })),
          String(edits[0]?.to)
        )
      }),
      { numRuns: 1000 }
    )
    assert.strictEqual(limitFor(125_000_000n), 0.125)
    assert.strictEqual(limitFor(123_456_789_123_456_781n), 123_456_789.123_456_79)
  })

  it("asks for none where no limit can be as high", () => {
    assert.strictEqual(limitFor(1_000_000_000_000_000_000n), 1_000_000_000)
    assert.isNull(limitFor(1_000_000_000_000_000_001n))
  })

  it("keeps the budgets of a workspace rising, of which some are not broken", () => {
    const limits = fc.uniqueArray(fc.bigInt(1n, 50n), { minLength: 2, maxLength: BudgetInterval.options.length })
    fc.assert(
      fc.property(limits, fc.bigInt(1n, 50n), (drawn, cost) => {
        const rising = drawn.sort((a, b) => (a < b ? -1 : 1)).map((limit) => limit * 1_000_000_000n)
        const states = rising.map((limit_nanos, index) =>
          state({ scope: "workspace_budget", interval: BudgetInterval.options[index] ?? "daily", limit_nanos })
        )
        const edits = new Map(
          budgetObjections(states, { nanos: cost * 1_000_000_000n, byok: false }).map(({ edit }) => [
            edit?.field,
            edit?.to
          ])
        )
        const after = states.flatMap(({ budget: { interval, limit_nanos } }) => {
          const to = edits.get(`budgets.${interval}`)
          return to === undefined ? [limit_nanos] : to === null ? [] : [parseUsd(to as number) ?? 0n]
        })
        for (const [index, limit] of after.entries())
          assert.isTrue(
            index === 0 || limit > (after[index - 1] ?? 0n),
            `${rising.join()} for ${cost}: ${after.join()}`
          )
        assert.isTrue(after.every((limit) => limit >= cost * 1_000_000_000n))
        const order = [...edits.keys()].map((field) => `${field}`.replace("budgets.", ""))
        assert.deepEqual(order, BudgetInterval.options.filter((interval) => order.includes(interval)).toReversed())
      })
    )
  })

  it("keeps the budgets of a workspace rising", () => {
    fc.assert(
      fc.property(nanos, fc.shuffledSubarray([...BudgetInterval.options], { minLength: 2 }), (cost, intervals) => {
        const states = intervals.map((interval) => state({ scope: "workspace_budget", interval }))
        const limits = new Map(
          budgetObjections(states, { nanos: cost, byok: false }).map(({ edit }) => [
            edit?.field,
            edit?.to as number | null
          ])
        )
        const rising = BudgetInterval.options
          .flatMap((interval) => limits.get(`budgets.${interval}`) ?? [])
          .map(parseUsd)
        for (const [index, limit] of rising.entries())
          assert.isTrue(index === 0 || (limit ?? 0n) > (rising[index - 1] ?? 0n), rising.join())
      })
    )
  })

  const usd = 1_000_000_000n
  const ofWorkspace = (interval: BudgetInterval, limit: bigint, spent = 0n) =>
    state({ scope: "workspace_budget", interval, limit_nanos: limit * usd }, spent * usd)
  const ofKey = (interval: BudgetInterval, limit: bigint, spent = 0n) =>
    state({ interval, limit_nanos: limit * usd }, spent * usd)
  /** Of each budget that is broken, its field and the limit that would suffice. */
  const asked = (states: readonly BudgetState[], cost: bigint, byok = false) =>
    budgetObjections(states, { nanos: cost * usd, byok }).map(({ edit }) => [edit?.field, edit?.to])

  it("names a budget that cannot pay with its limit and the one that would suffice, and no other", () => {
    const at = { scope: "member", guardrail_id: "guardrail", field: "limit_usd" } as const
    const member = state({ scope: "member", guardrail_id: "guardrail", limit_nanos: 3n * usd }, 2n * usd)
    assert.deepEqual(
      budgetObjections([ofKey("daily", 9n), { ...member, held_nanos: usd }], { nanos: usd, byok: false }),
      [{ reason: { ...at, value: 3 }, edit: { ...at, from: 3, to: 4 } }]
    )
    assert.deepEqual(budgetObjections([{ ...member, held_nanos: usd }], { nanos: usd, byok: true }), [])
    assert.deepEqual(budgetObjections([{ ...member, held_nanos: usd + 1n }], { nanos: usd, byok: true }), [
      { reason: { ...at, value: 3 }, edit: { ...at, from: 3, to: 3.000000001 } }
    ])
  })

  it("raises a longer budget of a workspace above a shorter one, and no other budget", () => {
    assert.deepEqual(
      asked([ofWorkspace("daily", 1n, 4n), ofWorkspace("weekly", 2n, 2n), ofKey("lifetime", 2n, 2n)], 1n),
      [
        ["limit", 3],
        ["budgets.weekly", 5.000000001],
        ["budgets.daily", 5]
      ]
    )
    assert.deepEqual(asked([ofWorkspace("daily", 0n), ofWorkspace("weekly", 1n, 9n)], 2n), [
      ["budgets.weekly", 11],
      ["budgets.daily", 2]
    ])
  })

  it("asks for none that would pass a longer budget of the workspace that is not broken", () => {
    assert.deepEqual(asked([ofWorkspace("daily", 1n), ofWorkspace("weekly", 5n)], 4n), [["budgets.daily", 4]])
    assert.deepEqual(asked([ofWorkspace("daily", 1n), ofWorkspace("weekly", 5n)], 5n), [["budgets.daily", null]])
    assert.deepEqual(
      asked([ofWorkspace("daily", 1n), ofKey("lifetime", 5n)], 5n),
      [["budgets.daily", 5]],
      "a key's limit may be as low as it likes"
    )
    assert.deepEqual(
      asked([ofWorkspace("daily", 5n), ofWorkspace("monthly", 10n, 9n)], 3n),
      [["budgets.monthly", 12]],
      "a shorter budget may be lower"
    )
    assert.deepEqual(
      asked([ofWorkspace("weekly", 3n), ofKey("daily", 1n)], 5n),
      [
        ["limit", 5],
        ["budgets.weekly", 5]
      ],
      "budgets of others do not matter"
    )
  })

  it("goes on with the next longer budget where no limit of a shorter one would do", () => {
    const states = [ofWorkspace("daily", 1n, 9n), ofWorkspace("weekly", 6n), ofWorkspace("monthly", 1n, 1n)]
    assert.deepEqual(asked(states, 1n), [
      ["budgets.monthly", 2],
      ["budgets.daily", null]
    ])
  })

  it("says where the limit of each budget is written", () => {
    const of = (scope: Budget["scope"], interval: BudgetInterval = "weekly") =>
      fieldOf(state({ scope, interval }).budget)
    assert.strictEqual(of("key_limit"), "limit")
    assert.strictEqual(of("workspace_budget"), "budgets.weekly")
    assert.strictEqual(of("workspace_budget", "lifetime"), "budgets.lifetime")
    for (const scope of ["member", "key", "workspace_default_key", "workspace_default_member"] as const)
      assert.strictEqual(of(scope), "limit_usd")
  })
})
