/** Tells of an account. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"

export const logAccountChange: SqlFunction = {
  name: "gatewarden_log_account_change",
  sql: `
create or replace function gatewarden_log_account_change()
returns trigger language plpgsql as $body$
begin
  insert into gatewarden_changes (account_id, topic, id) values (new.id, 'account', new.id);
  return null;
end
$body$
`
}
