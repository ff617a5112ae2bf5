/** Tells of the catalog of an account that brings models. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"

export const logOwnModelChange: SqlFunction = {
  name: "gatewarden_log_own_model_change",
  sql: `
create or replace function gatewarden_log_own_model_change()
returns trigger language plpgsql as $body$
begin
  insert into gatewarden_changes (account_id, topic, id) select distinct account_id, 'catalog', '' from changed;
  return null;
end
$body$
`
}
