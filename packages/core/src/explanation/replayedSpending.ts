/**
 * The charges of budget windows during a replay, by spender, as in the ledger, whichever budgets use them.
 *
 * A lifetime window starts with everything that was recorded before the first replayed event.
 */
import { BudgetInterval, type DimensionName } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import { AnalyticsReader } from "../ports/analytics.ts"
import type { RecordedUse } from "../ports/usage.ts"
import { countedBy } from "../ledger/judgeHolds.ts"
import type { Budget, BudgetState } from "../ports/ledger.ts"
import { windowStart } from "../ledger/LedgerClock.ts"
import { type Spender, spenderNameOf, spenderOf, spenders, spendersOf } from "../ledger/budgetsOf.ts"

interface Spent {
  cost_nanos: bigint
  byok_cost_nanos: bigint
}

const dimensionsOf: Readonly<Record<Spender, readonly DimensionName[]>> = {
  key: ["api_key_id"],
  user: ["user"],
  workspace: ["workspace"],
  workspace_user: ["user", "workspace"]
}

/** No usage is older. */
const beginning = Date.parse("0000-01-01T00:00:00.000Z")

/** The recorded spending of a spender before an instant. */
const spentBefore = Effect.fnUntraced(function* (
  account_id: string,
  workspace_id: string,
  budget: Budget,
  end: number
) {
  const result = yield* (yield* AnalyticsReader).read(account_id, {
    start: beginning,
    end,
    granularity: null,
    keys: [],
    measures: ["credits_usage", "byok_usage"],
    columns: [],
    classifier_id: null,
    tagFilters: [],
    filters: dimensionsOf[spenderOf(budget)].map((dimension) => ({
      dimension,
      operator: "eq" as const,
      values: [dimension === "workspace" ? workspace_id : budget.entity],
      include_unset: false
    })),
    having: [],
    order: [],
    group_limit: null,
    limit: 1
  })
  const [cost, byok] = result === "unknown_classifier" ? [] : (result.cells[0]?.measures ?? [])
  return { cost_nanos: BigInt(cost ?? 0), byok_cost_nanos: BigInt(byok ?? 0) }
})

/** `start`: of what is read. */
export const replayedSpending = (account_id: string, start: number) => {
  const windows = new Map<string, Spent>()
  const known = new Set<string>()
  const windowOf = (spender: Spender, entity: string, interval: BudgetInterval, at: number) => {
    const name = `${spender} ${interval} ${windowStart(interval, at) ?? ""} ${entity}`
    const spent = windows.get(name) ?? { cost_nanos: 0n, byok_cost_nanos: 0n }
    windows.set(name, spent)
    return { name, spent }
  }
  const add = (spent: Spent, { cost_nanos, byok_cost_nanos }: Spent) => {
    spent.cost_nanos += cost_nanos
    spent.byok_cost_nanos += byok_cost_nanos
  }
  return {
    states: Effect.fnUntraced(function* (workspace_id: string, budgets: readonly Budget[], at: number) {
      const states: BudgetState[] = []
      for (const budget of budgets) {
        const { name, spent } = windowOf(spenderOf(budget), spenderNameOf(budget, workspace_id), budget.interval, at)
        if (budget.interval === "lifetime" && !known.has(name)) {
          known.add(name)
          add(spent, yield* spentBefore(account_id, workspace_id, budget, start))
        }
        const { cost_nanos, byok_cost_nanos } = spent
        states.push({
          budget,
          window_start: windowStart(budget.interval, at),
          spent_nanos: countedBy(budget, { nanos: cost_nanos, byok_nanos: byok_cost_nanos }),
          held_nanos: 0n
        })
      }
      return states
    }),
    charge: (use: Pick<RecordedUse, "api_key_hash" | "user_id" | "workspace_id"> & Spent, at: number): void => {
      const charged = spendersOf(use.api_key_hash, use.user_id, use.workspace_id)
      for (const spender of spenders) {
        const entity = charged[spender]
        if (entity === null) continue
        for (const interval of BudgetInterval.options) add(windowOf(spender, entity, interval, at).spent, use)
      }
    }
  }
}
