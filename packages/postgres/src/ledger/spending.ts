/**
 * Charges recorded usage to the windows of budgets, whichever operation records it.
 *
 * A new window starts with the sum of the events that exist. No event may be recorded between that sum and the window's insert: a
 * transaction that records events takes the account's lock shared, one that opens a window takes it exclusively, and both must see
 * everything that was committed under the lock before.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

const lockName = (sql: SqlClient.SqlClient, account_id: string) =>
  sql`hashtextextended(${`gatewarden/spending/${account_id}`}, 0)`

/** Takes the lock. Send it as a statement of its own in the transaction, before the statement that reads. */
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

/** Tries before the lock is taken in a statement of its own, for which transactions that open windows wait. */
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

/**
 * For a statement in which `added` holds events with their spenders, `at` (the instant of their charge) and amounts: the CTE
 * `spent_by_day`, what each spender spent on each day. Windows begin and end with days, so this is all that charging them needs.
 */
export const spentByDay = (sql: SqlClient.SqlClient) => sql`
  spent_by_day as (
    select s.spender, s.entity, date_trunc('day', a.at, 'UTC') as day, sum(a.cost_nanos) as spent, sum(a.byok_cost_nanos) as byok
    from added a cross join lateral gatewarden_spenders(a.api_key_hash, a.user_id, a.workspace_id::text) s
    where s.entity is not null group by s.spender, s.entity, date_trunc('day', a.at, 'UTC')
  )`

/**
 * CTEs that charge `spent_by_day` to every window that watches it; rows are locked in one order. Each sum finds its windows by the
 * index: what an import costs depends on its events, not on how many windows the account has.
 */
export const chargedWindows = (sql: SqlClient.SqlClient, account_id: string) => sql`
  change as (
    select w.id, sum(a.spent) as spent, sum(a.byok) as byok
    from spent_by_day a cross join lateral (
      select w.id from gatewarden_budget_window w
      where w.account_id = ${account_id}::uuid and w.spender = a.spender and w.entity = a.entity
        and w.window_end > a.day and w.window_start <= a.day
      offset 0
    ) w
    group by w.id
  ), locked_for_charge as (
    select w.id from gatewarden_budget_window w where w.id in (select id from change) order by w.id for update
  ), charged as (
    update gatewarden_budget_window w
    set spent_nanos = w.spent_nanos + change.spent, byok_spent_nanos = w.byok_spent_nanos + change.byok
    from change, locked_for_charge l where w.id = change.id and l.id = change.id
  )`
