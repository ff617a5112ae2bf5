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
