/**
 * Reads kept sums (`gatewarden_spent`): what each key, user, workspace and user in a workspace has spent, by UTC day. Exact, and constant in history: the
 * days of two windows of the longest unit that an interval has (62 for months) an entity, and one row dated `-infinity` for everything
 * before.
 *
 * Several rows of one day may exist, so always sum. An event is charged on the day on which its money was held, else on that of its own
 * instant: budget windows and the usage of keys count alike. Amounts are nano-dollars as `numeric`; print them as text.
 */
import type { SqlClient } from "effect/sql"

/** What is charged in a window: a row `window` with `spender`, `entity`, `window_start` and `window_end`. One row: `nanos`, `byok_nanos`. */
export const chargedIn = (sql: SqlClient.SqlClient, account_id: string, window: string) => sql`
  select sum(k.charged_nanos) as nanos, sum(k.charged_byok_nanos) as byok_nanos from gatewarden_spent k
  where k.account_id = ${account_id}::uuid and k.spender = ${sql.literal(window)}.spender
    and k.entity = ${sql.literal(window)}.entity
    and k.day >= (${sql.literal(window)}.window_start at time zone 'UTC')::date
    and k.day < (${sql.literal(window)}.window_end at time zone 'UTC')::date`

/**
 * What entities were charged, for example the usage of keys: a query of `entity`, `day`, `nanos` and `byok_nanos`, one row or more for
 * each day. The arguments are the text of parameters. Sum all days for a total, and those of a window of the calendar, as long as it holds this instant or is the one before.
 *
 * @example
 * select u.entity, sum(u.nanos)::text as total, coalesce(sum(u.nanos) filter (where u.day >= '2026-03-02'), 0)::text as week
 * from (...) u group by u.entity
 */
export const usageDays = (account_id: string, spender: string, entities: string): string => `
  select k.entity, k.day, k.charged_nanos as nanos, k.charged_byok_nanos as byok_nanos from gatewarden_spent k
  where k.account_id = ${account_id}::uuid and k.spender = ${spender} and k.entity = any (${entities}::text[])`
