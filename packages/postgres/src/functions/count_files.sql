-- Counts files for their workspace and for its account, while they have one.
create or replace function gatewarden_count_files()
returns trigger language plpgsql as $body$
begin
  if tg_op = 'INSERT' then
    perform gatewarden_add_stored(array_agg(c.account_id), 'file', array_agg(c.workspace_id), array_agg(c.n), array_agg(c.bytes))
    from (
      select account_id, unnest(array[workspace_id, '00000000-0000-0000-0000-000000000000']) as workspace_id,
        sum(n)::bigint as n, sum(n * size_bytes)::bigint as bytes
      from (select account_id, workspace_id, size_bytes, 1::bigint as n from added) changed where workspace_id is not null
      group by account_id, workspace_id having sum(n) <> 0 or sum(n * size_bytes) <> 0
    ) c having count(*) > 0;
  elsif tg_op = 'DELETE' then
    perform gatewarden_add_stored(array_agg(c.account_id), 'file', array_agg(c.workspace_id), array_agg(c.n), array_agg(c.bytes))
    from (
      select account_id, unnest(array[workspace_id, '00000000-0000-0000-0000-000000000000']) as workspace_id,
        sum(n)::bigint as n, sum(n * size_bytes)::bigint as bytes
      from (select account_id, workspace_id, size_bytes, -1::bigint as n from removed) changed where workspace_id is not null
      group by account_id, workspace_id having sum(n) <> 0 or sum(n * size_bytes) <> 0
    ) c having count(*) > 0;
  else
    perform gatewarden_add_stored(array_agg(c.account_id), 'file', array_agg(c.workspace_id), array_agg(c.n), array_agg(c.bytes))
    from (
      select account_id, unnest(array[workspace_id, '00000000-0000-0000-0000-000000000000']) as workspace_id,
        sum(n)::bigint as n, sum(n * size_bytes)::bigint as bytes
      from (
        select account_id, workspace_id, size_bytes, 1::bigint as n from added
        union all select account_id, workspace_id, size_bytes, -1::bigint from removed
      ) changed
      where workspace_id is not null
      group by account_id, workspace_id having sum(n) <> 0 or sum(n * size_bytes) <> 0
    ) c having count(*) > 0;
  end if;
  return null;
end
$body$
