import type { BudgetScope } from "@gatewarden/contract"
import { Effect } from "effect"
import { findBudgetNames, type NamedBudget } from "../naming/findBudgetNames.ts"
import type { Alert } from "../ports/alerts.ts"

type Named = Pick<Alert, "workspace_id" | "data">

/** The data of an alert of a budget has these fields; that of others has not. */
const budgetOf = ({ workspace_id, data }: Named): NamedBudget => ({
  workspace_id,
  ...(data as { readonly scope?: BudgetScope; readonly entity?: string; readonly guardrail_id?: string | null })
})

/** Alerts with the names that their workspaces, and the keys and guardrails of their budgets, have now. Rule: requests#names-beside-ids. */
export const nameAlerts = <A extends Named>(
  account_id: string,
  alerts: readonly A[],
  reaches: (workspace_id: string | null) => boolean
) => {
  const rows = alerts.map((alert) => ({ alert, budget: budgetOf(alert) }))
  return Effect.map(
    findBudgetNames(
      account_id,
      rows.map(({ budget }) => budget),
      reaches
    ),
    (namesOf) =>
      rows.map(({ alert, budget }) => {
        const { workspace_name, ...names } = namesOf(budget)
        return {
          ...alert,
          workspace_name,
          data: budget.scope === undefined ? alert.data : { ...alert.data, ...names }
        }
      })
  )
}
