/** The account whose audit log has a change. `change` is the alias of its row. */

/** What belongs to no account is the operator's. */
export const ownerSql = (change: string): string =>
  `coalesce(${change}.account_id, (select id from gatewarden_account where name = 'default'), '00000000-0000-0000-0000-000000000000')`
