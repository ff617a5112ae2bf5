/** Tells of a row that is in an account, by its id. The topic is the argument. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"

export const logChange: SqlFunction = {
  name: "gatewarden_log_change",
  sql: `
create or replace function gatewarden_log_change()
returns trigger language plpgsql as $body$
begin
  if tg_op = 'DELETE' then
    insert into gatewarden_changes (account_id, topic, id) values (old.account_id, tg_argv[0], old.id);
  else
    insert into gatewarden_changes (account_id, topic, id) values (new.account_id, tg_argv[0], new.id);
  end if;
  return null;
end
$body$
`
}
