/** Counts rows that are listed in their workspace. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"

export const countInWorkspace: SqlFunction = {
  name: "gatewarden_count_in_workspace",
  sql: `
create or replace function gatewarden_count_in_workspace()
returns trigger language plpgsql as $body$
begin
  if tg_op = 'INSERT' then
    perform gatewarden_add_listed(tg_argv[0], array_agg(c.account_id), array_agg(c.workspace_id), array_agg(c.n))
    from (select account_id, workspace_id, count(*) as n from added group by account_id, workspace_id) c having count(*) > 0;
  else
    perform gatewarden_add_listed(tg_argv[0], array_agg(c.account_id), array_agg(c.workspace_id), array_agg(-c.n))
    from (select account_id, workspace_id, count(*) as n from removed group by account_id, workspace_id) c having count(*) > 0;
  end if;
  return null;
end
$body$
`
}
