/** Where the budgets of workspaces are remembered: one for each interval at most. */
import type { BudgetInterval, WorkspaceBudget } from "@gatewarden/contract"
import { Context, type Effect } from "effect"

/** Every budget of a workspace, from the shortest interval to the longest, and the setting that they share. */
export interface BudgetSet {
  readonly budgets: readonly WorkspaceBudget[]
  /** `false` where there is no budget. */
  readonly include_byok: boolean
}

export interface BudgetDraft {
  /** Of the budget, if it is new. */
  readonly id: string
  readonly workspace_id: string
  readonly interval: BudgetInterval
  readonly limit_usd: number
  /** For every budget of the workspace; `undefined`: as it was. */
  readonly include_byok: boolean | undefined
}

export class WorkspaceBudgets extends Context.Service<
  WorkspaceBudgets,
  {
    readonly of: (account_id: string, workspace_id: string) => Effect.Effect<BudgetSet>
    /**
     * The set as it is afterwards; `updated_at` becomes `now` exactly when the limit changed. `out_of_order`: the budgets would
     * not be `budgetsRise`, and nothing was done. Of several at once each sees what the one before it did.
     */
    readonly put: (
      account_id: string,
      draft: BudgetDraft,
      now: string
    ) => Effect.Effect<BudgetSet | "missing" | "out_of_order">
    readonly remove: (account_id: string, workspace_id: string, interval: BudgetInterval) => Effect.Effect<void>
  }
>()("gatewarden/WorkspaceBudgets") {}
