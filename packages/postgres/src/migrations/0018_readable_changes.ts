/**
 * The log of changes, so that it can be read: each row knows the transaction that wrote it. A reader keeps the snapshot with which
 * it last read and asks for what that did not see, which is exact whatever the order in which transactions commit.
 *
 * And what decisions stand on beside keys and guardrails: upstream credentials and presets, by workspace, and the catalog, which is
 * no account's. A credential sealed with another key is the same credential.
 */
export const readableChanges = {
  id: 18,
  name: "readable_changes",
  sql: `
alter table gatewarden_changes
  alter column account_id drop not null,
  add column xact xid8 not null default pg_current_xact_id();

create index gatewarden_changes_xact on gatewarden_changes (xact);

create function gatewarden_log_change_in_workspace() returns trigger language plpgsql as $body$
begin
  if tg_op = 'DELETE' then
    insert into gatewarden_changes (account_id, topic, id) values (old.account_id, tg_argv[0], old.workspace_id);
  else
    insert into gatewarden_changes (account_id, topic, id) values (new.account_id, tg_argv[0], new.workspace_id);
  end if;
  return null;
end
$body$;

create function gatewarden_log_catalog_change() returns trigger language plpgsql as $body$
begin
  if exists (select from changed) then
    insert into gatewarden_changes (account_id, topic, id) values (null, 'catalog', '');
  end if;
  return null;
end
$body$;

create trigger gatewarden_byok_credential_added after insert or delete on gatewarden_byok_credential
  for each row execute function gatewarden_log_change_in_workspace('credential');
create trigger gatewarden_byok_credential_changed after update on gatewarden_byok_credential
  for each row when (to_jsonb(old) - 'sealed_key' is distinct from to_jsonb(new) - 'sealed_key')
  execute function gatewarden_log_change_in_workspace('credential');
create trigger gatewarden_preset_added after insert or delete on gatewarden_preset
  for each row execute function gatewarden_log_change_in_workspace('preset');
create trigger gatewarden_preset_changed after update on gatewarden_preset
  for each row when (old.* is distinct from new.*) execute function gatewarden_log_change_in_workspace('preset');
create trigger gatewarden_model_added after insert on gatewarden_model
  referencing new table as changed for each statement execute function gatewarden_log_catalog_change();
create trigger gatewarden_model_changed after update on gatewarden_model
  referencing new table as changed for each statement execute function gatewarden_log_catalog_change();
create trigger gatewarden_model_deleted after delete on gatewarden_model
  referencing old table as changed for each statement execute function gatewarden_log_catalog_change();
`
} as const
