-- The names of external users that accounts have registered (Rule: access#external-users).

create table gatewarden_external_user (
  id uuid primary key,
  account_id uuid not null,
  external_user text collate "C" not null,
  is_active boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (account_id, external_user)
);

create index gatewarden_external_user_time on gatewarden_external_user (account_id, created_at, id);
create index gatewarden_external_user_active on gatewarden_external_user (account_id, created_at, id) where is_active;

create trigger gatewarden_external_user_kept after insert on gatewarden_external_user
  referencing new table as added for each statement execute function gatewarden_count_external_users();
create trigger gatewarden_external_user_moved after update on gatewarden_external_user
  referencing old table as removed new table as added for each statement execute function gatewarden_count_external_users();
create trigger gatewarden_external_user_left after delete on gatewarden_external_user
  referencing old table as removed for each statement execute function gatewarden_count_external_users();
create trigger gatewarden_external_user_recorded after insert or delete on gatewarden_external_user
  for each row execute function gatewarden_record_external_user();
create trigger gatewarden_external_user_rerecorded after update on gatewarden_external_user
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_external_user();

create policy gatewarden_tenant on gatewarden_external_user
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));
