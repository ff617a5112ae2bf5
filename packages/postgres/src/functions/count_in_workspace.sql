-- Counts rows that are listed in their workspace. Their kind is the argument.
create or replace function gatewarden_count_in_workspace()
returns trigger language plpgsql as $body$
begin
  if tg_op = 'INSERT' then
    perform gatewarden_add_listed(tg_argv[0], array_agg(c.account_id), array_agg(c.workspace_id), array_agg(c.n))
    from (
      select account_id, workspace_id, sum(n)::bigint as n from (select account_id, workspace_id, 1::bigint as n from added) changed
      group by account_id, workspace_id having sum(n) <> 0
    ) c having count(*) > 0;
  elsif tg_op = 'DELETE' then
    perform gatewarden_add_listed(tg_argv[0], array_agg(c.account_id), array_agg(c.workspace_id), array_agg(c.n))
    from (
      select account_id, workspace_id, sum(n)::bigint as n from (select account_id, workspace_id, -1::bigint as n from removed) changed
      group by account_id, workspace_id having sum(n) <> 0
    ) c having count(*) > 0;
  else
    perform gatewarden_add_listed(tg_argv[0], array_agg(c.account_id), array_agg(c.workspace_id), array_agg(c.n))
    from (
      select account_id, workspace_id, sum(n)::bigint as n from (
        select account_id, workspace_id, 1::bigint as n from added
        union all select account_id, workspace_id, -1::bigint from removed
      ) changed
      group by account_id, workspace_id having sum(n) <> 0
    ) c having count(*) > 0;
  end if;
  return null;
end
$body$
