-- Counts keys for their account and workspace.
create or replace function gatewarden_count_keys()
returns trigger language plpgsql as $body$
begin
  if tg_op = 'INSERT' then
    perform gatewarden_add_keys(array_agg(account_id), array_agg(workspace_id), array_agg(disabled), array_agg(n))
    from (select account_id, workspace_id, disabled, 1::bigint as n from added) changed having count(*) > 0;
  elsif tg_op = 'DELETE' then
    perform gatewarden_add_keys(array_agg(account_id), array_agg(workspace_id), array_agg(disabled), array_agg(n))
    from (select account_id, workspace_id, disabled, -1::bigint as n from removed) changed having count(*) > 0;
  else
    perform gatewarden_add_keys(array_agg(account_id), array_agg(workspace_id), array_agg(disabled), array_agg(n))
    from (
      select account_id, workspace_id, disabled, 1::bigint as n from added
      union all select account_id, workspace_id, disabled, -1::bigint from removed
    ) changed having count(*) > 0;
  end if;
  return null;
end
$body$
