/**
 * Keys of data planes that serve every account of the installation. They live in no workspace, and in the account of the operator.
 */
export const gatewayKeys = {
  id: 25,
  name: "gateway_keys",
  sql: `
do $body$
declare
  old_check text;
begin
  -- The check was made without a name of ours.
  select conname into strict old_check from pg_constraint
  where conrelid = 'gatewarden_api_key'::regclass and contype = 'c' and pg_get_constraintdef(oid) like '%management%';
  execute format('alter table gatewarden_api_key drop constraint %I', old_check);
end
$body$;

alter table gatewarden_api_key add constraint gatewarden_api_key_place
  check ((kind = 'normal') = (workspace_id is not null));
`
} as const
