import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  BudgetWarningFeed,
  layerBudgetWarningFeed,
  makeBudgetWarningFeed
} from "../../core/src/ledger/BudgetWarningFeed.ts"
import { dueBySpending } from "../../core/src/ledger/budgetWarnings.ts"
import type { BudgetWarning } from "../../core/src/ports/ledger.ts"

const warning = (kind: BudgetWarning["kind"]): BudgetWarning => ({
  kind,
  budget: {
    scope: "key_limit",
    entity: "key",
    guardrail_id: null,
    interval: "daily",
    limit_nanos: 1n,
    include_byok: false
  },
  workspace_id: "workspace",
  window_start: 0,
  spent_nanos: 1n,
  held_nanos: null,
  created_at: "2026-03-04T12:00:00.000Z"
})

describe("the feed of warnings", () => {
  it("tells every listener of every warning, in order, whatever another one throws", () => {
    const feed = makeBudgetWarningFeed()
    const heard: string[] = []
    const listening =
      (name: string) =>
      (account_id: string, { kind }: BudgetWarning) =>
        void heard.push(`${name} ${account_id} ${kind}`)
    feed.subscribe(() => {
      throw new Error("a listener's own")
    })
    const end = feed.subscribe(listening("one"))
    feed.subscribe(listening("two"))
    feed.publish("account", [warning("spent_80"), warning("denied")])
    assert.deepEqual(heard, [
      "one account spent_80",
      "two account spent_80",
      "one account denied",
      "two account denied"
    ])
    heard.length = 0
    end()
    end()
    feed.publish("another", [warning("spent_95")])
    assert.deepEqual(heard, ["two another spent_95"])
  })

  it("tells a listener that has subscribed twice of each warning twice, until both have ended", () => {
    const feed = makeBudgetWarningFeed()
    let heard = 0
    const listener = () => void heard++
    const ends = [feed.subscribe(listener), feed.subscribe(listener)]
    for (const expected of [2, 3, 3]) {
      feed.publish("account", [warning("denied")])
      assert.strictEqual(heard, expected)
      ends.shift()?.()
    }
  })

  it.effect("may have nobody who listens, and is one of its own for each instance", () =>
    Effect.gen(function* () {
      const unheard = yield* BudgetWarningFeed
      unheard.publish("account", [warning("denied")])
      unheard.subscribe(() => assert.fail("nothing is published here"))()
      unheard.publish("account", [warning("denied")])
      const own = yield* Effect.provide(BudgetWarningFeed, layerBudgetWarningFeed)
      assert.notStrictEqual(own, unheard)
    })
  )
})

describe("a warning", () => {
  it("is due from 80 and from 95 percent of a limit on, and never of a limit of 0", () => {
    const due = (spent: bigint, limit = 1_000n) => dueBySpending(limit, spent).join()
    assert.deepEqual(
      [0n, 799n, 800n, 949n, 950n, 1_000n, 2_000n].map((spent) => due(spent)),
      ["", "", "spent_80", "spent_80", "spent_80,spent_95", "spent_80,spent_95", "spent_80,spent_95"]
    )
    assert.strictEqual(due(0n, 0n), "")
    assert.strictEqual(due(5n, 0n), "")
    assert.strictEqual(due(1n, 1n), "spent_80,spent_95")
  })
})
