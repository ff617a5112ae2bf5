import { BudgetScope } from "@gatewarden/contract"
import { spenderOf, spenders } from "@gatewarden/core/store"
import type { SqlFunction } from "./SqlFunction.ts"

/** The spender of a budget, by its scope. */
export const spender: SqlFunction = {
  name: "gatewarden_spender",
  sql: `
create or replace function gatewarden_spender(scope text)
returns text language sql immutable as $body$
  select case scope ${BudgetScope.options.map((scope) => `when '${scope}' then '${spenderOf({ scope })}'`).join(" ")} end
$body$
`
}

/**
 * The place of a spender's window in a list of budgets: those of one interval stand together, one for each spender, so that another interval
 * moves none that is kept.
 */
export const spenderSlot: SqlFunction = {
  name: "gatewarden_spender_slot",
  sql: `
create or replace function gatewarden_spender_slot(asked_spender text, asked_interval text)
returns int language sql immutable as $body$
  select (gatewarden_interval_place(asked_interval) - 1) * ${spenders.length}
    + case asked_spender ${spenders.map((spender, index) => `when '${spender}' then ${index + 1}`).join(" ")} end
$body$
`
}

/** Whom a request or an event charges, in SQL. */
/** Rows `spender`, `entity`, as `spendersOf` of core has them; the entity of a spender that is absent is null. */
export const spenderRows = (key: string, user: string, workspace: string): string =>
  `values ('key', ${key}), ('user', ${user}), ('workspace', ${workspace}::text), ('workspace_user', ${user} || ' ' || ${workspace}::text)`

/**
 * Adds amounts that no event has to the sums of their day, as the trigger of events does: rows `key_hash`, `user_id`, `workspace_id`,
 * `held_at`, `nanos` and `byok_nanos` of a query. Several rows of a day are summed.
 */
export const insertSums = (rows: string): string => `
    insert into gatewarden_spent (account_id, spender, entity, day, charged_nanos, charged_byok_nanos)
    select asked_account, s.spender, s.entity, (c.held_at at time zone 'UTC')::date, c.nanos, c.byok_nanos
    from (${rows}) c
    cross join lateral (${spenderRows("c.key_hash", "c.user_id", "c.workspace_id")}) as s (spender, entity)
    where s.entity is not null and (c.nanos <> 0 or c.byok_nanos <> 0)`
