-- Counts external users for their account, and those that are active, which are listed by themselves.
create or replace function gatewarden_count_external_users()
returns trigger language plpgsql as $body$
begin
  if tg_op = 'INSERT' then
    perform gatewarden_add_stored(array_agg(c.account_id), 'external_user',
      array_agg('00000000-0000-0000-0000-000000000000'::uuid), array_agg(c.n), array_agg(0::bigint))
    from (
      select account_id, sum(n)::bigint as n from (select account_id, is_active, 1::bigint as n from added) changed where true
      group by account_id having sum(n) <> 0
    ) c having count(*) > 0;
    perform gatewarden_add_stored(array_agg(c.account_id), 'active_external_user',
      array_agg('00000000-0000-0000-0000-000000000000'::uuid), array_agg(c.n), array_agg(0::bigint))
    from (
      select account_id, sum(n)::bigint as n from (select account_id, is_active, 1::bigint as n from added) changed where is_active
      group by account_id having sum(n) <> 0
    ) c having count(*) > 0;
  elsif tg_op = 'DELETE' then
    perform gatewarden_add_stored(array_agg(c.account_id), 'external_user',
      array_agg('00000000-0000-0000-0000-000000000000'::uuid), array_agg(c.n), array_agg(0::bigint))
    from (
      select account_id, sum(n)::bigint as n from (select account_id, is_active, -1::bigint as n from removed) changed where true
      group by account_id having sum(n) <> 0
    ) c having count(*) > 0;
    perform gatewarden_add_stored(array_agg(c.account_id), 'active_external_user',
      array_agg('00000000-0000-0000-0000-000000000000'::uuid), array_agg(c.n), array_agg(0::bigint))
    from (
      select account_id, sum(n)::bigint as n from (select account_id, is_active, -1::bigint as n from removed) changed where is_active
      group by account_id having sum(n) <> 0
    ) c having count(*) > 0;
  else
    perform gatewarden_add_stored(array_agg(c.account_id), 'external_user',
      array_agg('00000000-0000-0000-0000-000000000000'::uuid), array_agg(c.n), array_agg(0::bigint))
    from (
      select account_id, sum(n)::bigint as n from (
        select account_id, is_active, 1::bigint as n from added
        union all select account_id, is_active, -1::bigint from removed
      ) changed
      where true group by account_id having sum(n) <> 0
    ) c having count(*) > 0;
    perform gatewarden_add_stored(array_agg(c.account_id), 'active_external_user',
      array_agg('00000000-0000-0000-0000-000000000000'::uuid), array_agg(c.n), array_agg(0::bigint))
    from (
      select account_id, sum(n)::bigint as n from (
        select account_id, is_active, 1::bigint as n from added
        union all select account_id, is_active, -1::bigint from removed
      ) changed
      where is_active group by account_id having sum(n) <> 0
    ) c having count(*) > 0;
  end if;
  return null;
end
$body$
