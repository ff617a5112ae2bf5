import { BudgetInterval } from "@gatewarden/contract"
import { Effect } from "effect"
import { changedBudget, sortBudgets } from "../workspace/budgets.ts"
import { type BudgetSet, WorkspaceBudgets } from "../ports/workspaces.ts"
import { budgetPlace, ownWorkspace, type Tables } from "./tables/Tables.ts"

export const workspaceBudgets = (tables: Tables) => {
  const setOf = (account_id: string, workspace_id: string): BudgetSet => {
    const rows = BudgetInterval.options.flatMap((interval) => {
      const row = tables.workspaceBudgets.get(budgetPlace(workspace_id, interval))
      return row?.account_id === account_id ? [row] : []
    })
    return {
      budgets: sortBudgets(
        rows.map(({ id, interval, limit_usd, created_at, updated_at }) => ({
          id,
          workspace_id,
          limit_usd,
          reset_interval: interval === "lifetime" ? null : interval,
          created_at,
          updated_at
        }))
      ),
      include_byok: rows.some((row) => row.include_byok)
    }
  }
  return WorkspaceBudgets.of({
    of: (account_id, workspace_id) => Effect.sync(() => setOf(account_id, workspace_id)),
    put: (account_id, draft, now) =>
      Effect.sync(() => {
        const { workspace_id, interval } = draft
        if (ownWorkspace(tables, account_id, workspace_id) === undefined) return "missing"
        const before = setOf(account_id, workspace_id)
        const changed = changedBudget(before.budgets, draft, now)
        if (changed === "out_of_order") return changed
        const include_byok = draft.include_byok ?? before.include_byok
        const { reset_interval: _, ...budget } = changed
        tables.workspaceBudgets.set(budgetPlace(workspace_id, interval), {
          ...budget,
          account_id,
          interval,
          include_byok
        })
        for (const other of BudgetInterval.options) {
          const row = tables.workspaceBudgets.get(budgetPlace(workspace_id, other))
          if (row !== undefined) tables.workspaceBudgets.set(budgetPlace(workspace_id, other), { ...row, include_byok })
        }
        return setOf(account_id, workspace_id)
      }),
    remove: (account_id, workspace_id, interval) =>
      Effect.sync(() => {
        if (ownWorkspace(tables, account_id, workspace_id) !== undefined)
          tables.workspaceBudgets.delete(budgetPlace(workspace_id, interval))
      })
  })
}
