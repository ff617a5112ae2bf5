-- Keeps the hashes of deleted keys for a while. Each deletion removes a few rows that are too many, so that deleting cannot fill the
-- table.
create or replace function gatewarden_note_deleted_keys()
returns trigger language plpgsql as $body$
begin
  insert into gatewarden_deleted_key (hash, account_id, deleted_at, user_id, external_user)
    select hash, account_id, clock_timestamp(), user_id, external_user from removed order by hash
    on conflict (hash) do update set account_id = excluded.account_id, deleted_at = excluded.deleted_at,
      user_id = excluded.user_id, external_user = excluded.external_user;
  delete from gatewarden_deleted_key where hash in (
    select hash from gatewarden_deleted_key where deleted_at < now() - interval '90 days'
    order by deleted_at limit 100 for update skip locked
  );
  delete from gatewarden_deleted_key where hash in (
    select surplus.hash from (select distinct account_id from removed) account cross join lateral (
      select hash from gatewarden_deleted_key d where d.account_id = account.account_id
      order by d.deleted_at desc offset 10000 limit 100 for update skip locked
    ) surplus
  );
  return null;
end
$body$
