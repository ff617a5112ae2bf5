/** Whom a request or an event charges, in SQL. */

/** Rows `spender`, `entity`, as `spendersOf` of core has them; the entity of a spender that is absent is null. */
export const spenderRows = (key: string, user: string, workspace: string): string =>
  `values ('key', ${key}), ('user', ${user}), ('workspace', ${workspace}::text), ('workspace_user', ${user} || ' ' || ${workspace}::text)`
