/** The budgets of workspaces: at most one for each interval. */
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
  /** Applies to every budget of the workspace; `undefined`: unchanged. */
  readonly include_byok: boolean | undefined
}

export class WorkspaceBudgets extends Context.Service<
  WorkspaceBudgets,
  {
    readonly of: (account_id: string, workspace_id: string) => Effect.Effect<BudgetSet>
    /**
     * Answers the set after the change; `updated_at` becomes `now` if and only if the limit changed. `out_of_order`: the budgets would
     * violate `budgetsRise`; nothing was done. Concurrent calls run one after another.
     */
    readonly put: (
      account_id: string,
      draft: BudgetDraft,
      now: string
    ) => Effect.Effect<BudgetSet | "missing" | "out_of_order">
    readonly remove: (account_id: string, workspace_id: string, interval: BudgetInterval) => Effect.Effect<void>
  }
>()("gatewarden/WorkspaceBudgets") {}
