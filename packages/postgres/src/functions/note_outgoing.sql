-- Notes events that were recorded or changed for a store of usage beside this database, if there is one.
create or replace function gatewarden_note_outgoing()
returns trigger language plpgsql as $body$
begin
  if exists (select from gatewarden_usage_outlet) then
    insert into gatewarden_usage_outgoing (account_id, created_at, id) select account_id, created_at, id from added;
  end if;
  return null;
end
$body$
