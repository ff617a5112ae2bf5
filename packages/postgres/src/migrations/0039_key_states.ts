/**
 * What became of a key, so that a refused caller is told: revoked, deleted, or of a suspended account.
 *
 * A deleted key leaves its hash for 90 days, and of each account the last 10,000: deleting keys cannot fill the table. Each deletion
 * removes a few rows that are too many.
 */
export const keyStates = {
  id: 39,
  name: "key_states",
  sql: `
alter table gatewarden_account add column suspended_at timestamptz;
-- When a key ends because it was revoked or replaced, and not because it expires.
alter table gatewarden_api_key add column revoked_at timestamptz;

create table gatewarden_deleted_key (
  hash text collate "C" primary key,
  account_id uuid not null,
  deleted_at timestamptz not null
);

create index gatewarden_deleted_key_account on gatewarden_deleted_key (account_id, deleted_at);
create index gatewarden_deleted_key_age on gatewarden_deleted_key (deleted_at);

create function gatewarden_note_deleted_keys() returns trigger language plpgsql volatile as $body$
begin
  insert into gatewarden_deleted_key (hash, account_id, deleted_at)
    select hash, account_id, clock_timestamp() from removed order by hash
    on conflict (hash) do update set account_id = excluded.account_id, deleted_at = excluded.deleted_at;
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
$body$;

create trigger gatewarden_api_key_deleted after delete on gatewarden_api_key referencing old table as removed
  for each statement execute function gatewarden_note_deleted_keys();

create function gatewarden_log_account_change() returns trigger language plpgsql as $body$
begin
  insert into gatewarden_changes (account_id, topic, id) values (new.id, 'account', new.id);
  return null;
end
$body$;

create trigger gatewarden_account_changed after update on gatewarden_account
  for each row when (old.suspended_at is distinct from new.suspended_at) execute function gatewarden_log_account_change();

-- Until now an end at the instant of the last change was what told a revoked key.
update gatewarden_api_key set revoked_at = expires_at where expires_at = updated_at;
`
} as const
