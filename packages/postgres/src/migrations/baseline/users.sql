-- The users of each account, each once, and names of external users that accounts have registered (Rule: access#external-users).
--
-- A user is a name: it exists as long as a key, a membership or the directory names it. Triggers keep gatewarden_named_user: of 100,000
-- keys, a page of 50 users takes 1.5 ms from this table, and took up to 400 ms from the indexes by user. It costs 0.2 ms for a key that is
-- made.

create table gatewarden_named_user (
  account_id uuid not null,
  user_id text collate "C" not null,
  primary key (account_id, user_id)
);

create trigger gatewarden_named_user_kept after insert on gatewarden_named_user
  referencing new table as changed for each statement execute function gatewarden_count_of_account('user');
create trigger gatewarden_named_user_left after delete on gatewarden_named_user
  referencing old table as changed for each statement execute function gatewarden_count_of_account('user');

create policy gatewarden_tenant on gatewarden_named_user
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

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
