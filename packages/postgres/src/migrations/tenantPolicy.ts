/**
 * The policy of a table that has rows of accounts. Every migration that makes such a table adds it; a test finds a table without.
 *
 * It does nothing before row-level security is switched on, and then it holds the role `gatewarden_tenant` alone: the owner and any other role see what they saw.
 * Docs: docs/decisions/0011-row-level-security.md
 */
const account = "(select nullif(current_setting('gatewarden.account', true), '')::uuid)"

/** `isOwn` is true of a row of the account; by default a comparison of `account_id`. */
export const tenantPolicy = (table: string, isOwn: string = `account_id = ${account}`): string =>
  `create policy gatewarden_tenant on ${table} using (current_user <> 'gatewarden_tenant' or ${isOwn});`

/** Of a table whose account is in a column of another name. */
export const tenantPolicyBy = (table: string, column: string): string => tenantPolicy(table, `${column} = ${account}`)

/** Of rows that belong to those of another table, whose policy decides. Not where one statement inserts both: it does not see the owner yet. */
export const tenantPolicyThrough = (table: string, column: string, owner: string): string =>
  tenantPolicy(table, `exists (select from ${owner} o where o.id = ${column})`)
