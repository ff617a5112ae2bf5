/**
 * The charges of budget windows during a replay, by spender, as in the ledger, whichever budgets use them.
 *
 * A window that holds the start of the range starts with what was recorded for it before.
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

/** Spenders whose earlier spending is read at once. Where there are more, each is read when a request of it is replayed. */
const mostAtOnce = 10_000

/** What spenders of a kind spent between two instants, by name: all of them if none is named. */
const spentBetween = Effect.fnUntraced(function* (
  account_id: string,
  [start, end]: readonly [number, number],
  spender: Spender,
  named: { readonly budget: Budget; readonly workspace_id: string } | undefined
) {
  const dimensions = dimensionsOf[spender]
  const result = yield* (yield* AnalyticsReader).read(account_id, {
    start,
    end,
    granularity: null,
    keys: dimensions.map((dimension) => ({ column: dimension, kind: "dimension" as const, dimension })),
    measures: ["credits_usage", "byok_usage"],
    columns: [],
    classifier_id: null,
    tagFilters: [],
    filters:
      named === undefined
        ? []
        : dimensions.map((dimension) => ({
            dimension,
            operator: "eq" as const,
            values: [dimension === "workspace" ? named.workspace_id : named.budget.entity],
            include_unset: false
          })),
    having: [],
    order: dimensions.map((_, index) => ({ by: { kind: "key" as const, index }, descending: false })),
    group_limit: null,
    limit: mostAtOnce
  })
  const { cells, truncated } = result === "unknown_classifier" ? { cells: [], truncated: false } : result
  const spent = new Map(
    cells.map(({ keys, measures: [cost, byok] }) => [
      keys.join(" "),
      { cost_nanos: BigInt(cost ?? 0), byok_cost_nanos: BigInt(byok ?? 0) }
    ])
  )
  return { spent, truncated }
})

/** `start`: of the replayed range. */
export const replayedSpending = (account_id: string, start: number) => {
  const windows = new Map<string, Spent>()
  const known = new Set<string>()
  const earlier = new Map<string, Effect.Success<ReturnType<typeof spentBetween>>>()
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

  /** What the budget's spender spent in its window before the range begins. */
  const spentBefore = Effect.fnUntraced(function* (workspace_id: string, budget: Budget) {
    const spender = spenderOf(budget)
    const from = windowStart(budget.interval, start) ?? beginning
    const kind = `${spender} ${budget.interval}`
    const all = earlier.get(kind) ?? (yield* spentBetween(account_id, [from, start], spender, undefined))
    earlier.set(kind, all)
    const { spent } = all.truncated
      ? yield* spentBetween(account_id, [from, start], spender, { budget, workspace_id })
      : all
    return spent.get(spenderNameOf(budget, workspace_id)) ?? { cost_nanos: 0n, byok_cost_nanos: 0n }
  })

  return {
    states: Effect.fnUntraced(function* (workspace_id: string, budgets: readonly Budget[], at: number) {
      const states: BudgetState[] = []
      for (const budget of budgets) {
        const { name, spent } = windowOf(spenderOf(budget), spenderNameOf(budget, workspace_id), budget.interval, at)
        if (!known.has(name) && windowStart(budget.interval, at) === windowStart(budget.interval, start))
          add(spent, yield* spentBefore(workspace_id, budget))
        known.add(name)
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
