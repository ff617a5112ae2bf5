/** Tells of the installation's catalog, which is no account's. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"

export const logCatalogChange: SqlFunction = {
  name: "gatewarden_log_catalog_change",
  sql: `
create or replace function gatewarden_log_catalog_change()
returns trigger language plpgsql as $body$
begin
  if exists (select from changed) then
    insert into gatewarden_changes (account_id, topic, id) values (null, 'catalog', '');
  end if;
  return null;
end
$body$
`
}
