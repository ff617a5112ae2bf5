-- Appends changes of gatewarden_alert_channel to the stream of changes, with whoever acts. A writer waits for it, and PostgreSQL prepares
-- each expression of a trigger anew in each transaction: so it is one insert of rows that PostgreSQL prints as JSON by itself, and a
-- function for each table. Columns with secrets are recorded as null: that one was replaced is recorded, not by what.
create or replace function gatewarden_record_alert_channel() returns trigger language plpgsql volatile as $body$
declare
  acts text := current_setting('gatewarden.acting', true);
begin
  if tg_op = 'UPDATE' then
    old.sealed_config := null; new.sealed_config := null;
    insert into gatewarden_changes (account_id, noun, action, id, workspace_id, acting, before, after) values (
      new.account_id, 'alert_channel', 'update', new.id, new.workspace_id,
      case when starts_with(acts, E'\x1e')
      then split_part(split_part(acts, E'\x1e' || new.id || E'\x1f', 2), E'\x1e', 1)
      else acts end,
      row_to_json(old),
      row_to_json(new)
    );
  elsif tg_op = 'INSERT' then
    new.sealed_config := null;
    insert into gatewarden_changes (account_id, noun, action, id, workspace_id, acting, before, after) values (
      new.account_id, 'alert_channel', 'create', new.id, new.workspace_id,
      case when starts_with(acts, E'\x1e')
      then split_part(split_part(acts, E'\x1e' || new.id || E'\x1f', 2), E'\x1e', 1)
      else acts end,
      null,
      row_to_json(new)
    );
  else
    old.sealed_config := null;
    insert into gatewarden_changes (account_id, noun, action, id, workspace_id, acting, before, after) values (
      old.account_id, 'alert_channel', 'delete', old.id, old.workspace_id,
      case when starts_with(acts, E'\x1e')
      then split_part(split_part(acts, E'\x1e' || old.id || E'\x1f', 2), E'\x1e', 1)
      else acts end,
      row_to_json(old),
      null
    );
  end if;
  return null;
end
$body$
