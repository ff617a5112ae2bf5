/** Tells of what a row belongs to. The topic is the first argument, the column that names the owner the second. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"

export const logChangeOfOwner: SqlFunction = {
  name: "gatewarden_log_change_of_owner",
  sql: `
create or replace function gatewarden_log_change_of_owner()
returns trigger language plpgsql as $body$
declare
  changed jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
begin
  insert into gatewarden_changes (account_id, topic, id)
    values ((changed ->> 'account_id')::uuid, tg_argv[0], changed ->> tg_argv[1]);
  return null;
end
$body$
`
}
