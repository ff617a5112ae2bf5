/** Tells of a key by its hash. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"

export const logKeyChange: SqlFunction = {
  name: "gatewarden_log_key_change",
  sql: `
create or replace function gatewarden_log_key_change()
returns trigger language plpgsql as $body$
begin
  if tg_op = 'DELETE' then
    insert into gatewarden_changes (account_id, topic, id) values (old.account_id, 'key', old.hash);
  else
    insert into gatewarden_changes (account_id, topic, id) values (new.account_id, 'key', new.hash);
  end if;
  return null;
end
$body$
`
}
