/** Which budgets a candidate would break, each with the limit that would pay for it. */
import type { PolicyEdit } from "@gatewarden/contract"
import { formatUsd } from "../usage/money.ts"
import { affords, type Budget, type BudgetState, type Cost, costTo } from "./Budget.ts"
import type { Objection } from "./judgeCandidate.ts"

/** Where a budget's limit is written. */
export const fieldOf = ({ scope, interval }: Budget): string =>
  scope === "key_limit" ? "limit" : scope === "workspace_budget" ? `budgets.${interval}` : "limit_usd"

export const budgetObjections = (states: readonly BudgetState[], cost: Cost): readonly Objection[] =>
  states
    .filter((state) => !affords(state, cost))
    .map(({ budget, spent_nanos, held_nanos }): Objection => {
      const at = { scope: budget.scope, guardrail_id: budget.guardrail_id, field: fieldOf(budget) }
      const from = Number(formatUsd(budget.limit_nanos))
      const edit: PolicyEdit = { ...at, from, to: Number(formatUsd(spent_nanos + held_nanos + costTo(budget, cost))) }
      return { reason: { ...at, value: from }, edit }
    })
