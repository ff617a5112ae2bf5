/** The budgets that a candidate would exceed, each with the limit that would suffice. */
import { BudgetInterval, type PolicyEdit } from "@gatewarden/contract/internal"
import type { Budget, BudgetState, Cost } from "../ports/ledger.ts"
import type { Objection } from "../value/issues.ts"
import { parseUsd, usdAtLeast, usdNumber } from "../value/money.ts"
import { affords, costTo } from "./judgeHolds.ts"

/** Where a budget's limit is written. */
export const fieldOf = ({ scope, interval }: Budget): string =>
  scope === "key_limit" ? "limit" : scope === "workspace_budget" ? `budgets.${interval}` : "limit_usd"

const position = ({ budget: { interval } }: BudgetState): number => BudgetInterval.options.indexOf(interval)

/** In the order in which the API takes their limits: of a workspace, the longest interval first. */
const inOrder = (states: readonly BudgetState[]): readonly BudgetState[] => {
  const isOfWorkspace = ({ budget: { scope } }: BudgetState): boolean => scope === "workspace_budget"
  return [
    ...states.filter((state) => !isOfWorkspace(state)),
    ...states.filter(isOfWorkspace).toSorted((one, other) => position(other) - position(one))
  ]
}

/** Whether a budget of the workspace is for a longer time. */
const isLonger = (one: BudgetState, than: BudgetState): boolean =>
  one.budget.scope === "workspace_budget" && position(one) > position(than)

/**
 * The limits that would suffice; `null`: only removing the limit would. In a workspace a longer interval must keep a higher limit than a
 * shorter one, so raising a short one raises the longer ones that are broken, too, and stays below those that are not.
 */
const enough = (
  broken: readonly BudgetState[],
  kept: readonly BudgetState[],
  cost: Cost
): ReadonlyMap<BudgetState, number | null> => {
  const limits = new Map<BudgetState, number | null>()
  let shorter = -1n
  for (const state of [...broken].sort((a, b) => position(a) - position(b))) {
    const { budget, spent_nanos, held_nanos } = state
    const needed = spent_nanos + held_nanos + costTo(budget, cost)
    if (budget.scope !== "workspace_budget") {
      limits.set(state, usdAtLeast(needed))
      continue
    }
    const raised = usdAtLeast(needed > shorter ? needed : shorter + 1n)
    const reached = raised === null ? undefined : parseUsd(raised)
    const isTooHigh =
      reached === undefined || kept.some((other) => isLonger(other, state) && other.budget.limit_nanos <= reached)
    limits.set(state, isTooHigh ? null : raised)
    if (!isTooHigh) shorter = reached
  }
  return limits
}

export const budgetObjections = (states: readonly BudgetState[], cost: Cost): readonly Objection[] => {
  const broken = states.filter((state) => !affords(state, cost))
  if (broken.length === 0) return []
  const kept = states.filter((state) => affords(state, cost))
  const limits = enough(broken, kept, cost)
  return inOrder(broken).map((state): Objection => {
    const { budget } = state
    const at = { scope: budget.scope, guardrail_id: budget.guardrail_id, field: fieldOf(budget) }
    const from = usdNumber(budget.limit_nanos)
    const edit: PolicyEdit = { ...at, from, to: limits.get(state) ?? null }
    return { reason: { ...at, value: from }, edit }
  })
}
