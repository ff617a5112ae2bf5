/** What a request may hold, and what a settlement charges above a limit. Rule: money#no-overspending, admissions#settlement. */
import { assert, describe, it } from "@effect/vitest"
import { affords, costTo, countedBy, judgeHold, judgeSettlement } from "../../core/src/ledger/judgeHolds.ts"
import type { BudgetState, Cost } from "../../core/src/ports/ledger.ts"

const state = (limit: bigint, spent: bigint, held = 0n, include_byok = false): BudgetState => ({
  budget: { scope: "key", entity: "a", guardrail_id: null, interval: "daily", limit_nanos: limit, include_byok },
  window_start: 0,
  spent_nanos: spent,
  held_nanos: held
})
const shared = (nanos: bigint): Cost => ({ nanos, byok: false })
const byok = (nanos: bigint): Cost => ({ nanos, byok: true })

describe("a budget", () => {
  it("counts what the workspace's own credentials pay only if it includes them", () => {
    const amounts = { nanos: 2n, byok_nanos: 3n }
    assert.strictEqual(countedBy({ include_byok: false }, amounts), 2n)
    assert.strictEqual(countedBy({ include_byok: true }, amounts), 5n)
    assert.deepEqual(
      [shared(7n), byok(7n)].map((cost) => costTo({ include_byok: false }, cost)),
      [7n, 0n]
    )
    assert.deepEqual(
      [shared(7n), byok(7n)].map((cost) => costTo({ include_byok: true }, cost)),
      [7n, 7n]
    )
  })

  it("pays what exactly fills it beside what is spent and held, and nothing where it is overdrawn", () => {
    assert.isTrue(affords(state(10n, 3n, 4n), shared(3n)))
    assert.isFalse(affords(state(10n, 3n, 4n), shared(4n)))
    assert.isTrue(affords(state(0n, 0n), shared(0n)))
    assert.isFalse(affords(state(0n, 1n), shared(0n)))
  })
})

describe("a request", () => {
  const heldOf = (states: readonly BudgetState[], costs: readonly Cost[]) => judgeHold(states, costs).held

  it("holds the largest of the costs that fit every budget", () => {
    const states = [state(10n, 3n, 4n), state(9n, 0n)]
    assert.deepEqual(heldOf(states, [shared(1n), shared(3n), shared(2n), shared(4n)]), { nanos: 3n, byok_nanos: 0n })
    assert.deepEqual(heldOf(states, [shared(2n), byok(5n)]), { nanos: 2n, byok_nanos: 3n })
    assert.deepEqual(heldOf(states, [byok(5n)]), { nanos: 0n, byok_nanos: 5n })
    assert.deepEqual(heldOf([], [shared(5n), byok(7n)]), { nanos: 5n, byok_nanos: 2n })
    assert.isUndefined(heldOf(states, [shared(4n)]))
    assert.isUndefined(heldOf([], []))
  })

  it("that is denied warns of each budget that cannot pay one of its costs, and one that is let in of none", () => {
    const kinds = (states: readonly BudgetState[], costs: readonly Cost[]) =>
      states.map((one) =>
        judgeHold(states, costs).due.flatMap(({ budget, kind }) => (budget === one.budget ? kind : []))
      )
    const states = [state(10n, 5n), state(10n, 0n), state(100n, 0n)]
    assert.deepEqual(kinds(states, [shared(6n), shared(20n)]), [["denied"], ["denied"], []])
    assert.deepEqual(kinds(states, [shared(5n), shared(20n)]), [[], [], []])
    assert.deepEqual(kinds([state(100n, 80n), state(100n, 96n)], [shared(10n)]), [
      ["spent_80"],
      ["spent_80", "spent_95", "denied"]
    ])
  })

  it("warns with the budget as it was", () => {
    const one = state(10n, 9n, 1n)
    assert.deepEqual(judgeHold([one], [shared(1n)]).due, [
      { kind: "spent_80", ...one },
      { kind: "denied", ...one }
    ])
  })
})

describe("a settlement", () => {
  it("charges each budget what it counts, and tells the part above its limit", () => {
    const states = [
      state(100n, 90n),
      state(100n, 100n),
      state(100n, 103n),
      state(100n, 130n),
      state(100n, 130n, 0n, true)
    ]
    const { charges, overdraft_nanos } = judgeSettlement(states, { nanos: 20n, byok_nanos: 5n })
    assert.deepEqual(
      charges.map(({ budget, window_start, nanos, overdraft_nanos }, index) => [
        budget === states[index]?.budget && window_start,
        nanos,
        overdraft_nanos
      ]),
      [
        [0, 20n, 0n],
        [0, 20n, 0n],
        [0, 20n, 3n],
        [0, 20n, 20n],
        [0, 25n, 25n]
      ]
    )
    assert.strictEqual(overdraft_nanos, 25n)
    assert.strictEqual(judgeSettlement([], { nanos: 20n, byok_nanos: 5n }).overdraft_nanos, 0n)
  })

  it("warns of what was spent, without what is held", () => {
    const { budget, window_start, spent_nanos } = state(100n, 95n)
    const { due } = judgeSettlement([{ budget, window_start, spent_nanos }], { nanos: 20n, byok_nanos: 0n })
    assert.deepEqual(
      due,
      (["spent_80", "spent_95"] as const).map((kind) => ({ kind, budget, window_start, spent_nanos, held_nanos: null }))
    )
  })
})
