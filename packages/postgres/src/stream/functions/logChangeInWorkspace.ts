/** Tells of a row by the workspace that it is in. The topic is the argument. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"

export const logChangeInWorkspace: SqlFunction = {
  name: "gatewarden_log_change_in_workspace",
  sql: `
create or replace function gatewarden_log_change_in_workspace()
returns trigger language plpgsql as $body$
begin
  if tg_op = 'DELETE' then
    insert into gatewarden_changes (account_id, topic, id) values (old.account_id, tg_argv[0], old.workspace_id);
  else
    insert into gatewarden_changes (account_id, topic, id) values (new.account_id, tg_argv[0], new.workspace_id);
  end if;
  return null;
end
$body$
`
}
