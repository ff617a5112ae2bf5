/** Counts credentials, which are also listed by provider. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"

export const countCredentials: SqlFunction = {
  name: "gatewarden_count_credentials",
  sql: `
create or replace function gatewarden_count_credentials()
returns trigger language plpgsql as $body$
begin
  if tg_op = 'INSERT' then
    perform gatewarden_add_listed('credential', array_agg(c.account_id), array_agg(c.workspace_id), array_agg(c.n))
    from (select account_id, workspace_id, count(*) as n from added group by account_id, workspace_id) c having count(*) > 0;
    perform gatewarden_add_stored(array_agg(c.account_id), 'credential ' || c.provider, array_agg(c.workspace_id), array_agg(c.n),
      array_agg(0::bigint))
    from (select account_id, workspace_id, provider, count(*) as n from added group by account_id, workspace_id, provider) c
    group by c.provider;
  else
    perform gatewarden_add_listed('credential', array_agg(c.account_id), array_agg(c.workspace_id), array_agg(-c.n))
    from (select account_id, workspace_id, count(*) as n from removed group by account_id, workspace_id) c having count(*) > 0;
    perform gatewarden_add_stored(array_agg(c.account_id), 'credential ' || c.provider, array_agg(c.workspace_id), array_agg(-c.n),
      array_agg(0::bigint))
    from (select account_id, workspace_id, provider, count(*) as n from removed group by account_id, workspace_id, provider) c
    group by c.provider;
  end if;
  return null;
end
$body$
`
}
