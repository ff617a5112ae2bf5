-- Adds rows of several owners to their owners and to the accounts of these.
create or replace function gatewarden_add_listed(of_kind text, accounts uuid[], owners uuid[], more bigint[])
returns void language sql as $body$
  select gatewarden_add_stored(array_agg(c.account_id), of_kind, array_agg(c.owner_id), array_agg(c.n), array_agg(0::bigint))
  from (
    select a.account_id, unnest(array[a.owner_id, '00000000-0000-0000-0000-000000000000']) as owner_id, a.n
    from unnest(accounts, owners, more) as a (account_id, owner_id, n)
  ) c having count(*) > 0
$body$
