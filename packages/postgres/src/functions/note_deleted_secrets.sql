-- Keeps the hashes of the latest secrets of deleted keys with those of the keys, so that whoever sends one is told that the key was
-- deleted.
create or replace function gatewarden_note_deleted_secrets()
returns trigger language plpgsql as $body$
begin
  insert into gatewarden_deleted_key (hash, account_id, deleted_at)
    select r.secret_hash, r.account_id, clock_timestamp() from removed r
    where r.number > (select max(number) - 3 from removed m where m.key_hash = r.key_hash)
      and not exists (select from gatewarden_api_key k where k.hash = r.key_hash)
    order by r.secret_hash
    on conflict (hash) do nothing;
  return null;
end
$body$
