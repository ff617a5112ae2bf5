/**
 * How recorded usage reaches the windows that budgets watch, whichever way it comes.
 *
 * A window starts as the sum of the events that are there, so nobody may record an event between that sum and the window's
 * appearance: who records takes the account's lock shared, who makes a window takes it alone, and both must see everything that
 * was committed under the lock before theirs.
 */
import type { Spender } from "@gatewarden/core/effect"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

const lockName = (sql: SqlClient.SqlClient, account_id: string) =>
  sql`hashtextextended(${`gatewarden/spending/${account_id}`}, 0)`

/** A statement of its own in a transaction, before the one that reads. */
export const lockSpending = (sql: SqlClient.SqlClient, account_id: string, mode: "recording" | "opening") =>
  mode === "recording"
    ? sql`select pg_advisory_xact_lock_shared(${lockName(sql, account_id)})`
    : sql`select pg_advisory_xact_lock(${lockName(sql, account_id)})`

/**
 * A query that takes the lock shared within the statement that records: false when a window was opened that this statement, which
 * began before, cannot see. It must then record nothing.
 */
export const enterSpending = (sql: SqlClient.SqlClient, account_id: string) => sql`
  select gatewarden_enter_spending(${account_id}::uuid)
    = coalesce((select opened from gatewarden_spending where account_id = ${account_id}::uuid), 0) as is_current`

/** Tries before whoever keeps opening windows is made to wait. */
const hopefulAttempts = 3

/** Runs a statement that begins with `enterSpending` until it was current. */
export const whileRecording = <A extends { readonly is_current: boolean }, R>(
  sql: SqlClient.SqlClient,
  account_id: string,
  statement: Effect.Effect<A, SqlError.SqlError, R>
): Effect.Effect<A, SqlError.SqlError, R> => {
  const attempt = (left: number): Effect.Effect<A, SqlError.SqlError, R> =>
    left === 0
      ? sql.withTransaction(Effect.andThen(lockSpending(sql, account_id, "recording"), statement))
      : Effect.flatMap(statement, (answer) => (answer.is_current ? Effect.succeed(answer) : attempt(left - 1)))
  return attempt(hopefulAttempts)
}

/** The column of an event that names its spender. */
export const spenderColumns = {
  key: "api_key_hash",
  user: "user_id",
  workspace: "workspace_id::text"
} as const satisfies Record<Spender, string>

/**
 * For a statement in which `added` holds events with their spenders, `at` (the instant of their charge) and amounts: CTEs that
 * charge every window that watches them; rows are locked in one order.
 */
export const chargedWindows = (sql: SqlClient.SqlClient, account_id: string) => {
  const parts = Object.entries(spenderColumns).map(
    ([spender, column]) => sql`
      select w.id, a.cost_nanos as spent, a.byok_cost_nanos as byok
      from added a join gatewarden_budget_window w
        on w.account_id = ${account_id}::uuid and w.spender = ${spender} and w.entity = a.${sql.literal(column)}
        and a.at >= w.window_start and a.at < w.window_end`
  )
  const changes = parts.reduce((together, next) => sql`${together} union all ${next}`)
  return sql`
    change as (
      select id, sum(spent) as spent, sum(byok) as byok from (${changes}) as parts group by id
    ), locked_for_charge as (
      select w.id from gatewarden_budget_window w where w.id in (select id from change) order by w.id for update
    ), charged as (
      update gatewarden_budget_window w
      set spent_nanos = w.spent_nanos + change.spent, byok_spent_nanos = w.byok_spent_nanos + change.byok
      from change, locked_for_charge l where w.id = change.id and l.id = change.id
    )`
}
