-- Counts credentials, which are also listed by provider.
create or replace function gatewarden_count_credentials()
returns trigger language plpgsql as $body$
begin
  if tg_op = 'INSERT' then
    perform gatewarden_add_listed('credential', array_agg(c.account_id), array_agg(c.workspace_id), array_agg(c.n))
    from (
      select account_id, workspace_id, sum(n)::bigint as n
      from (select account_id, workspace_id, provider, 1::bigint as n from added) changed
      group by account_id, workspace_id having sum(n) <> 0
    ) c having count(*) > 0;
    perform gatewarden_add_stored(array_agg(c.account_id), 'credential ' || c.provider, array_agg(c.workspace_id), array_agg(c.n),
      array_agg(0::bigint))
    from (
      select account_id, workspace_id, provider, sum(n)::bigint as n
      from (select account_id, workspace_id, provider, 1::bigint as n from added) changed
      group by account_id, workspace_id, provider having sum(n) <> 0
    ) c group by c.provider;
  elsif tg_op = 'DELETE' then
    perform gatewarden_add_listed('credential', array_agg(c.account_id), array_agg(c.workspace_id), array_agg(c.n))
    from (
      select account_id, workspace_id, sum(n)::bigint as n
      from (select account_id, workspace_id, provider, -1::bigint as n from removed) changed
      group by account_id, workspace_id having sum(n) <> 0
    ) c having count(*) > 0;
    perform gatewarden_add_stored(array_agg(c.account_id), 'credential ' || c.provider, array_agg(c.workspace_id), array_agg(c.n),
      array_agg(0::bigint))
    from (
      select account_id, workspace_id, provider, sum(n)::bigint as n
      from (select account_id, workspace_id, provider, -1::bigint as n from removed) changed
      group by account_id, workspace_id, provider having sum(n) <> 0
    ) c group by c.provider;
  else
    perform gatewarden_add_listed('credential', array_agg(c.account_id), array_agg(c.workspace_id), array_agg(c.n))
    from (
      select account_id, workspace_id, sum(n)::bigint as n from (
        select account_id, workspace_id, provider, 1::bigint as n from added
        union all select account_id, workspace_id, provider, -1::bigint from removed
      ) changed
      group by account_id, workspace_id having sum(n) <> 0
    ) c having count(*) > 0;
    perform gatewarden_add_stored(array_agg(c.account_id), 'credential ' || c.provider, array_agg(c.workspace_id), array_agg(c.n),
      array_agg(0::bigint))
    from (
      select account_id, workspace_id, provider, sum(n)::bigint as n from (
        select account_id, workspace_id, provider, 1::bigint as n from added
        union all select account_id, workspace_id, provider, -1::bigint from removed
      ) changed
      group by account_id, workspace_id, provider having sum(n) <> 0
    ) c group by c.provider;
  end if;
  return null;
end
$body$
