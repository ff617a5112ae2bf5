-- Appends changes of gatewarden_external_user to the stream of changes, with whoever acts. A writer waits for it, and PostgreSQL prepares
-- each expression of a trigger anew in each transaction: so it is one insert of rows that PostgreSQL prints as JSON by itself, and a
-- function for each table.
create or replace function gatewarden_record_external_user() returns trigger language plpgsql volatile as $body$
declare
  acts text := current_setting('gatewarden.acting', true);
begin
  if tg_op = 'UPDATE' then
    insert into gatewarden_changes (account_id, noun, action, id, workspace_id, acting, before, after) values (
      new.account_id, 'external_user', 'update', new.id, null,
      case when starts_with(acts, E'\x1e')
      then split_part(split_part(acts, E'\x1e' || new.id || E'\x1f', 2), E'\x1e', 1)
      else acts end,
      row_to_json(old),
      row_to_json(new)
    );
  elsif tg_op = 'INSERT' then
    insert into gatewarden_changes (account_id, noun, action, id, workspace_id, acting, before, after) values (
      new.account_id, 'external_user', 'create', new.id, null,
      case when starts_with(acts, E'\x1e')
      then split_part(split_part(acts, E'\x1e' || new.id || E'\x1f', 2), E'\x1e', 1)
      else acts end,
      null,
      row_to_json(new)
    );
  else
    insert into gatewarden_changes (account_id, noun, action, id, workspace_id, acting, before, after) values (
      old.account_id, 'external_user', 'delete', old.id, null,
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
