/**
 * Lists of budgets by their ids: a hold names the list that it was made with, and its settlement answers that list. Lists never change
 * and ids are never reused, so a process may cache them for ever.
 */
import type { Budget } from "@gatewarden/core/store"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { arrayLiteral } from "../engine/arrayLiteral.ts"

/** As it is stored: JSON has no exact integer of the size of a limit. */
export interface StoredBudget extends Omit<Budget, "limit_nanos"> {
  readonly limit_nanos: string
}

/** Lists in the cache of a process, each about a kilobyte. */
const remembered = 5_000

export const budgetLists = (sql: SqlClient.SqlClient) => {
  const lists = new Map<string, readonly Budget[]>()
  const learn = (id: string, budgets: readonly Budget[]): void => {
    if (lists.has(id)) return
    const [oldest] = lists.size < remembered ? [] : lists.keys()
    if (oldest !== undefined) lists.delete(oldest)
    lists.set(id, budgets)
  }
  return {
    learn,
    /** The lists of these ids, in any order; reads those that the process has not seen. */
    of: Effect.fnUntraced(function* (ids: ReadonlySet<string>) {
      const found = new Map<string, readonly Budget[]>()
      for (const id of ids) {
        const budgets = lists.get(id)
        if (budgets !== undefined) found.set(id, budgets)
      }
      const others = [...ids].filter((id) => !found.has(id))
      if (others.length === 0) return found
      const rows = yield* sql<{ id: string; budgets: readonly StoredBudget[] }>`
        select id::text as id, budgets from gatewarden_budget_list where id = any (${arrayLiteral(others)}::bigint[])`
      for (const { id, budgets } of rows) {
        const list = budgets.map((budget): Budget => ({ ...budget, limit_nanos: BigInt(budget.limit_nanos) }))
        learn(id, list)
        found.set(id, list)
      }
      return found
    })
  }
}

export type BudgetLists = ReturnType<typeof budgetLists>
