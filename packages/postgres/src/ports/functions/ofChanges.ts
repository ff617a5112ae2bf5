/**
 * The body of a trigger that counts rows as they come, change and go. The statement reads them from what it is given: each with 1 where it is
 * there now, and with -1 where it was there before, as `n`.
 */
export const ofChanges = (columns: string, statement: (changes: string) => string): string => `
begin
  if tg_op = 'INSERT' then${statement(`select ${columns}, 1::bigint as n from added`)}
  elsif tg_op = 'DELETE' then${statement(`select ${columns}, -1::bigint as n from removed`)}
  else${statement(`select ${columns}, 1::bigint as n from added union all select ${columns}, -1::bigint from removed`)}
  end if;
  return null;
end
`

/** Counts rows for one of their columns that names their owner, and for the account. */
export const countListed =
  (kind: string, owner: string) =>
  (changes: string): string =>
    `
    perform gatewarden_add_listed(${kind}, array_agg(c.account_id), array_agg(c.${owner}), array_agg(c.n))
    from (
      select account_id, ${owner}, sum(n)::bigint as n from (${changes}) changed group by account_id, ${owner} having sum(n) <> 0
    ) c having count(*) > 0;`
