/**
 * The rule of money: what a request may hold, and what a settlement charges above a limit.
 *
 * Pure functions of the states of budgets, which the in-memory store calls. The SQL store has the same rule as functions of the database
 * (`gatewarden_judge_hold`, `gatewarden_short_budgets`, `gatewarden_overdraft`). `tests/ledger/judgeHolds.test.ts` compares both.
 *
 * Rule: money#no-overspending, admissions#settlement, money#budget-warnings.
 */
import type { Budget, BudgetState, ChargedAmount, Cost, SettleOutcome } from "../ports/ledger.ts"
import { largest } from "../value/money.ts"
import { type DueWarning, dueBySpending } from "./budgetWarnings.ts"

/** Nano-dollars: `byok_nanos` is paid with the workspace's own credentials, and counts in budgets that include BYOK. */
export interface Amounts {
  readonly nanos: bigint
  readonly byok_nanos: bigint
}

/** The part of an amount that a budget counts. */
export const countedBy = ({ include_byok }: Pick<Budget, "include_byok">, { nanos, byok_nanos }: Amounts): bigint =>
  include_byok ? nanos + byok_nanos : nanos

/** The cost that a budget counts for a request: 0 with the workspace's own credential, unless the budget includes BYOK. */
export const costTo = (budget: Pick<Budget, "include_byok">, { nanos, byok }: Cost): bigint =>
  countedBy(budget, byok ? { nanos: 0n, byok_nanos: nanos } : { nanos, byok_nanos: 0n })

/** Whether a budget can pay a cost. A cost of 0 fits every budget that is not overdrawn. */
export const affords = ({ budget, spent_nanos, held_nanos }: BudgetState, cost: Cost): boolean =>
  spent_nanos + held_nanos + costTo(budget, cost) <= budget.limit_nanos

export interface HoldJudgement {
  /** The amounts to hold in every window of the spenders; `undefined`: no cost fits every budget. */
  readonly held: Amounts | undefined
  readonly due: readonly DueWarning[]
}

/**
 * What a request holds: the largest of the costs that fit every budget.
 *
 * A denial is due in each budget that cannot pay one of the costs. `states`: the budgets without this request.
 */
export const judgeHold = (states: readonly BudgetState[], costs: readonly Cost[]): HoldJudgement => {
  const fitting = costs.filter((cost) => states.every((state) => affords(state, cost)))
  const isDenied = fitting.length === 0
  const nanos = largest(fitting.map((cost) => (cost.byok ? 0n : cost.nanos)))
  return {
    held: isDenied ? undefined : { nanos, byok_nanos: largest(fitting.map((cost) => cost.nanos)) - nanos },
    due: states.flatMap((state): readonly DueWarning[] => {
      const isShort = isDenied && costs.some((cost) => !affords(state, cost))
      const kinds = dueBySpending(state.budget.limit_nanos, state.spent_nanos)
      return [...kinds, ...(isShort ? (["denied"] as const) : [])].map((kind) => ({ kind, ...state }))
    })
  }
}

export interface SettlementJudgement extends SettleOutcome {
  readonly due: readonly DueWarning[]
}

/** What a settlement charges, and the part above each limit. `states`: the budgets of its hold, with this charge. */
export const judgeSettlement = (
  states: readonly Omit<BudgetState, "held_nanos">[],
  cost: Amounts
): SettlementJudgement => {
  const charges = states.map(({ budget, window_start, spent_nanos }): ChargedAmount => {
    const nanos = countedBy(budget, cost)
    const above = largest([spent_nanos - budget.limit_nanos])
    return { budget, window_start, nanos, overdraft_nanos: above < nanos ? above : nanos }
  })
  return {
    charges,
    overdraft_nanos: largest(charges.map(({ overdraft_nanos }) => overdraft_nanos)),
    due: states.flatMap((state) =>
      dueBySpending(state.budget.limit_nanos, state.spent_nanos).map((kind) => ({ kind, ...state, held_nanos: null }))
    )
  }
}
