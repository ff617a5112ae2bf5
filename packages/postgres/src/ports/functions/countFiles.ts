/** Counts files for their workspace and for its account, while they have one. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"

export const countFiles: SqlFunction = {
  name: "gatewarden_count_files",
  sql: `
create or replace function gatewarden_count_files()
returns trigger language plpgsql as $body$
begin
  if tg_op = 'INSERT' then
    perform gatewarden_add_stored(array_agg(account_id), 'file', array_agg(workspace_id), array_agg(1), array_agg(size_bytes))
    from (
      select account_id, unnest(array[workspace_id, '00000000-0000-0000-0000-000000000000']) as workspace_id, size_bytes
      from added where workspace_id is not null
    ) c having count(*) > 0;
  elsif tg_op = 'DELETE' then
    perform gatewarden_add_stored(array_agg(account_id), 'file', array_agg(workspace_id), array_agg(-1), array_agg(-size_bytes))
    from (
      select account_id, unnest(array[workspace_id, '00000000-0000-0000-0000-000000000000']) as workspace_id, size_bytes
      from removed where workspace_id is not null
    ) c having count(*) > 0;
  else
    perform gatewarden_add_stored(array_agg(account_id), 'file', array_agg(workspace_id), array_agg(n::bigint), array_agg(size_bytes::bigint))
    from (
      select account_id, unnest(array[workspace_id, '00000000-0000-0000-0000-000000000000']) as workspace_id,
        sum(n) as n, sum(size_bytes) as size_bytes
      from (
        select account_id, workspace_id, 1 as n, size_bytes from added where workspace_id is not null
        union all select account_id, workspace_id, -1, -size_bytes from removed where workspace_id is not null
      ) both_sides
      group by account_id, workspace_id
      having sum(n) <> 0 or sum(size_bytes) <> 0
    ) c having count(*) > 0;
  end if;
  return null;
end
$body$
`
}
