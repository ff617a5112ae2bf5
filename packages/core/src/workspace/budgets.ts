import { BudgetInterval, type PutWorkspaceBudget, type WorkspaceBudget } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { Entropy } from "../platform/Entropy.ts"
import { type BudgetDraft, type BudgetSet, WorkspaceBudgets } from "../ports/workspaces.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/calendar.ts"
import { invalid, notFound } from "../value/failure.ts"
import { requireWorkspace } from "./operations.ts"

/** Fails with 400 if the path names an unknown interval. Rule: workspaces#workspace-budgets. */
export const requireInterval = Effect.fnUntraced(function* (word: string) {
  const interval = BudgetInterval.safeParse(word)
  if (interval.success) return interval.data
  return yield* invalid("unknown_interval", "path.interval", `Expected ${BudgetInterval.options.join(", ")}`)
})

/** Idempotent. Rule: workspaces#workspace-budgets. */
export const deleteWorkspaceBudget = operation("deleteWorkspaceBudget")(function* (
  caller: Caller,
  idOrSlug: string,
  word: string
) {
  const interval = yield* requireInterval(word)
  const { id } = yield* requireWorkspace(caller, idOrSlug)
  yield* (yield* WorkspaceBudgets).remove(caller.account_id, id, interval)
  return { deleted: true as const }
})

/** A budget that never resets is printed with the interval `null`. */
export const budgetInterval = ({ reset_interval }: Pick<WorkspaceBudget, "reset_interval">): BudgetInterval =>
  reset_interval ?? "lifetime"

/** One budget of a set in its response form; undefined when the set has none for the interval. */
export const printedWorkspaceBudget = ({ budgets, include_byok }: BudgetSet, interval: BudgetInterval) => {
  const budget = budgets.find((one) => budgetInterval(one) === interval)
  return budget && { data: budget, include_byok_in_budgets: include_byok }
}

/** Rule: workspaces#workspace-budgets. */
export const getWorkspaceBudget = operation("getWorkspaceBudget")(function* (
  caller: Caller,
  idOrSlug: string,
  word: string
) {
  const interval = yield* requireInterval(word)
  const { id } = yield* requireWorkspace(caller, idOrSlug)
  const set = yield* (yield* WorkspaceBudgets).of(caller.account_id, id)
  return printedWorkspaceBudget(set, interval) ?? (yield* notFound())
})

/** Rule: workspaces#workspace-budgets. */
export const listWorkspaceBudgets = operation("listWorkspaceBudgets")(function* (caller: Caller, idOrSlug: string) {
  const { id } = yield* requireWorkspace(caller, idOrSlug)
  const { budgets, include_byok } = yield* (yield* WorkspaceBudgets).of(caller.account_id, id)
  return { data: [...budgets], include_byok_in_budgets: include_byok }
})

/** Rule: workspaces#workspace-budgets. */
export const putWorkspaceBudget = operation("putWorkspaceBudget")(function* (
  caller: Caller,
  idOrSlug: string,
  word: string,
  { limit_usd, include_byok_in_budgets }: PutWorkspaceBudget
) {
  const interval = yield* requireInterval(word)
  const { id: workspace_id } = yield* requireWorkspace(caller, idOrSlug)
  const draft = {
    id: (yield* Entropy).uuid(),
    workspace_id,
    interval,
    limit_usd,
    include_byok: include_byok_in_budgets ?? undefined
  }
  const outcome = yield* (yield* WorkspaceBudgets).put(caller.account_id, draft, yield* timestamp)
  if (outcome === "out_of_order")
    return yield* invalid("budget_order", "limit_usd", "A longer interval must have a larger budget than a shorter one")
  return (outcome === "missing" ? undefined : printedWorkspaceBudget(outcome, interval)) ?? (yield* notFound())
})

const placeOf = (budget: Pick<WorkspaceBudget, "reset_interval">): number =>
  BudgetInterval.options.indexOf(budgetInterval(budget))

/** From the shortest interval to the longest. */
export const sortBudgets = <B extends Pick<WorkspaceBudget, "reset_interval">>(budgets: readonly B[]): readonly B[] =>
  [...budgets].sort((a, b) => placeOf(a) - placeOf(b))

/** Whether every longer interval has a higher limit than every shorter one (Rule: workspaces#workspace-budgets). */
export const budgetsRise = (budgets: readonly Pick<WorkspaceBudget, "reset_interval" | "limit_usd">[]): boolean =>
  sortBudgets(budgets).every(
    ({ limit_usd }, index, sorted) => index === 0 || limit_usd > (sorted[index - 1]?.limit_usd ?? 0)
  )

/** The budget that a draft creates or changes in a set, or the refusal of the draft. */
export const changedBudget = (
  budgets: readonly WorkspaceBudget[],
  { id, workspace_id, interval, limit_usd }: BudgetDraft,
  now: string
): WorkspaceBudget | "out_of_order" => {
  const before = budgets.find((budget) => budgetInterval(budget) === interval)
  const changed: WorkspaceBudget = {
    id: before?.id ?? id,
    workspace_id,
    limit_usd,
    reset_interval: interval === "lifetime" ? null : interval,
    created_at: before?.created_at ?? now,
    updated_at: before?.limit_usd === limit_usd ? before.updated_at : now
  }
  return budgetsRise([...budgets.filter((budget) => budget !== before), changed]) ? changed : "out_of_order"
}
