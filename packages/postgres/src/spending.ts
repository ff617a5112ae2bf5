/**
 * How recorded usage reaches the windows that budgets watch, whichever way it comes.
 *
 * A window starts as the sum of the events that are there, so nobody may record an event between that sum and the window's
 * appearance: who records takes the account's lock shared, who makes a window takes it alone, each in a statement of its own
 * before the one that reads, so that this one sees everything that was committed under the lock.
 */
import type { Spender } from "@gatewarden/core/effect"
import type { SqlClient } from "effect/sql"

const lockName = (sql: SqlClient.SqlClient, account_id: string) =>
  sql`hashtextextended(${`gatewarden/spending/${account_id}`}, 0)`

export const lockSpending = (sql: SqlClient.SqlClient, account_id: string, mode: "recording" | "opening") =>
  mode === "recording"
    ? sql`select pg_advisory_xact_lock_shared(${lockName(sql, account_id)})`
    : sql`select pg_advisory_xact_lock(${lockName(sql, account_id)})`

/** The column of an event that names its spender. */
export const spenderColumns = {
  key: "api_key_hash",
  user: "user_id",
  workspace: "workspace_id::text"
} as const satisfies Record<Spender, string>

/**
 * For a statement in which `added` holds events with their spenders, `at` (the instant of their charge) and amounts: CTEs that
 * charge every window that watches them, and give back what `freed` (id, nanos, full_nanos) held there. `charged` has the windows
 * as they are afterwards. A row can be written once a statement, so both are one update; rows are locked in one order.
 */
export const chargedWindows = (sql: SqlClient.SqlClient, account_id: string, frees = false) => {
  const parts = Object.entries(spenderColumns).map(
    ([spender, column]) => sql`
      select w.id, a.cost_nanos as spent, a.byok_cost_nanos as byok, 0 as held, 0 as full_held
      from added a join gatewarden_budget_window w
        on w.account_id = ${account_id}::uuid and w.spender = ${spender} and w.entity = a.${sql.literal(column)}
        and a.at >= w.window_start and a.at < w.window_end`
  )
  const all = [...parts, ...(frees ? [sql`select id, 0, 0, nanos, full_nanos from freed`] : [])]
  const changes = all.reduce((together, next) => sql`${together} union all ${next}`)
  return sql`
    change as (
      select id, sum(spent) as spent, sum(byok) as byok, sum(held) as held, sum(full_held) as full_held
      from (${changes}) as parts group by id
    ), locked_for_charge as (
      select w.id from gatewarden_budget_window w where w.id in (select id from change) order by w.id for update
    ), charged as (
      update gatewarden_budget_window w
      set spent_nanos = w.spent_nanos + change.spent, byok_spent_nanos = w.byok_spent_nanos + change.byok,
        held_nanos = w.held_nanos - change.held, full_held_nanos = w.full_held_nanos - change.full_held
      from change, locked_for_charge l where w.id = change.id and l.id = change.id
      returning w.id, w.window_start, w.spent_nanos, w.byok_spent_nanos
    )`
}
