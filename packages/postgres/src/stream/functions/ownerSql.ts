/** The account whose audit log has a change; what belongs to no account is the operator's. `change` is the alias of the row. */
export const ownerSql = (change: string): string =>
  `coalesce(${change}.account_id, (select id from gatewarden_account where name = 'default'), '00000000-0000-0000-0000-000000000000')`
