-- Appends changes of gatewarden_preset to the stream of changes, with whoever acts. A writer waits for it, and PostgreSQL prepares each
-- expression of a trigger anew in each transaction: so it is one insert of rows that PostgreSQL prints as JSON by itself, and a function
-- for each table. The body is in the table of versions, which keeps them all.
create or replace function gatewarden_record_preset() returns trigger language plpgsql volatile as $body$
declare
  acts text := current_setting('gatewarden.acting', true);
begin
  if tg_op = 'UPDATE' then
    insert into gatewarden_changes (account_id, noun, action, id, workspace_id, acting, before, after) values (
      new.account_id, 'preset', 'update', new.slug, new.workspace_id,
      case when starts_with(acts, E'\x1e')
      then split_part(split_part(acts, E'\x1e' || new.slug || E'\x1f', 2), E'\x1e', 1)
      else acts end,
      (select row_to_json(whole) from (
        select old.*, (select version from gatewarden_preset_version where id = old.designated_version_id) as version
      ) whole),
      (select row_to_json(whole) from (
        select new.*, (select version from gatewarden_preset_version where id = new.designated_version_id) as version
      ) whole)
    );
  elsif tg_op = 'INSERT' then
    insert into gatewarden_changes (account_id, noun, action, id, workspace_id, acting, before, after) values (
      new.account_id, 'preset', 'create', new.slug, new.workspace_id,
      case when starts_with(acts, E'\x1e')
      then split_part(split_part(acts, E'\x1e' || new.slug || E'\x1f', 2), E'\x1e', 1)
      else acts end,
      null,
      (select row_to_json(whole) from (
        select new.*, (select version from gatewarden_preset_version where id = new.designated_version_id) as version
      ) whole)
    );
  else
    insert into gatewarden_changes (account_id, noun, action, id, workspace_id, acting, before, after) values (
      old.account_id, 'preset', 'delete', old.slug, old.workspace_id,
      case when starts_with(acts, E'\x1e')
      then split_part(split_part(acts, E'\x1e' || old.slug || E'\x1f', 2), E'\x1e', 1)
      else acts end,
      (select row_to_json(whole) from (
        select old.*, (select version from gatewarden_preset_version where id = old.designated_version_id) as version
      ) whole),
      null
    );
  end if;
  return null;
end
$body$
