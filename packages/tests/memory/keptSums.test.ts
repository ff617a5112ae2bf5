import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { byHand } from "@gatewarden/conformance/internal/HandClock"
import { spendingEvent } from "@gatewarden/conformance/internal/usage/spendingEvent"
import type { Budget } from "../../core/src/ports/ledger.ts"
import { budgetLedger } from "../../core/src/memory/BudgetLedger.ts"
import { keyUsageReader } from "../../core/src/memory/KeyUsageReader.ts"
import { makeTables } from "../../core/src/memory/tables/Tables.ts"
import { usageLog } from "../../core/src/memory/UsageLog.ts"

const account_id = "account"
const key_hash = "a".repeat(64)
const workspace_id = "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11"
const budget: Budget = {
  scope: "workspace_budget",
  entity: workspace_id,
  guardrail_id: null,
  interval: "lifetime",
  limit_nanos: 1_000n,
  include_byok: true
}

describe("the sums of the memory store", () => {
  it.effect("are read in place of the events: no decision and no reading of a key's usage looks through them", () =>
    Effect.gen(function* () {
      const tables = makeTables()
      const ledger = budgetLedger(tables)
      const event = (id: string, day: number) =>
        spendingEvent({
          id,
          workspace_id,
          api_key_hash: key_hash,
          user_id: "user",
          created_at: new Date(day * 86_400_000).toISOString(),
          cost_nanos: 1n,
          byok_cost_nanos: 2n
        })
      const hold = (admission_id: string) =>
        ledger.hold(account_id, {
          admission_id,
          workspace_id,
          key_hash,
          user_id: "user",
          budgets: [budget],
          costs: [{ nanos: 10n, byok: false }],
          hold_seconds: 600
        })
      const history = Array.from({ length: 50 }, (_, day) => event(`${day}`, day))
      yield* usageLog(tables).record(account_id, Stream.succeed(history))
      const events = tables.usageEvents.get(account_id) ?? assert.fail("nothing was recorded")
      const unread = (): never => assert.fail("the events were looked through")
      Object.assign(events, { values: unread, entries: unread, forEach: unread, [Symbol.iterator]: unread })

      const outcome = yield* hold("held")
      assert.isTrue(outcome.held)
      assert.strictEqual(outcome.states[0]?.spent_nanos, 150n)
      const settled = yield* ledger.settle(account_id, event("held", 0))
      assert.deepEqual(
        settled.charges.map(({ nanos }) => nanos),
        [3n]
      )
      const [state] = yield* ledger.states(account_id, workspace_id, [budget])
      assert.deepInclude(state, { spent_nanos: 153n, held_nanos: 0n })
      const usage = yield* keyUsageReader(tables)
        .usageOf(account_id, [key_hash])
        .pipe(byHand({ now: 49 * 86_400_000 }))
      // 1970-02-19, a Thursday: days of the month since the 31st of those that were recorded, and of the week since Monday.
      assert.deepInclude(usage.get(key_hash)?.credits, { total: 51n, day: 1n, week: 4n, month: 19n })
      assert.deepInclude(usage.get(key_hash)?.byok, { total: 102n, day: 2n, week: 8n, month: 38n })
    })
  )
})
