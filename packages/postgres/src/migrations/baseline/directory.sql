-- Users and groups that a directory provisions over SCIM, and the roles that groups give in workspaces.
--
-- A name is unique without its case, folded by the store.

create table gatewarden_directory_user (
  id uuid primary key,
  account_id uuid not null references gatewarden_account (id) deferrable initially deferred,
  user_id text collate "C" not null,
  user_name text collate "C" not null,
  folded_name text collate "C" not null,
  external_id text collate "C",
  active boolean not null,
  -- JSON of what else the directory tells.
  attributes text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (account_id, user_id),
  unique (account_id, folded_name)
);

create index gatewarden_directory_user_time on gatewarden_directory_user (account_id, created_at, id);
create index gatewarden_directory_user_external on gatewarden_directory_user (account_id, external_id) where external_id is not null;

create trigger gatewarden_directory_user_kept after insert on gatewarden_directory_user
  referencing new table as changed for each statement execute function gatewarden_count_of_account('directory_user');
create trigger gatewarden_directory_user_left after delete on gatewarden_directory_user
  referencing old table as changed for each statement execute function gatewarden_count_of_account('directory_user');
create trigger gatewarden_directory_user_recorded after insert or delete on gatewarden_directory_user
  for each row execute function gatewarden_record_directory_user();
create trigger gatewarden_directory_user_rerecorded after update on gatewarden_directory_user
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_directory_user();
create trigger gatewarden_directory_user_names after insert on gatewarden_directory_user
  referencing new table as added for each statement execute function gatewarden_name_users();
create trigger gatewarden_directory_user_names_no_more after delete on gatewarden_directory_user
  referencing old table as removed for each statement execute function gatewarden_name_users();
create trigger gatewarden_directory_user_names_another after update on gatewarden_directory_user
  for each row when (old.user_id is distinct from new.user_id) execute function gatewarden_name_users();

create policy gatewarden_tenant on gatewarden_directory_user
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_directory_group (
  id uuid primary key,
  account_id uuid not null references gatewarden_account (id) deferrable initially deferred,
  display_name text collate "C" not null,
  folded_name text collate "C" not null,
  external_id text collate "C",
  member_count int not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (account_id, folded_name)
);

create index gatewarden_directory_group_time on gatewarden_directory_group (account_id, created_at, id);
create index gatewarden_directory_group_external on gatewarden_directory_group (account_id, external_id) where external_id is not null;

create trigger gatewarden_directory_group_kept after insert on gatewarden_directory_group
  referencing new table as changed for each statement execute function gatewarden_count_of_account('directory_group');
create trigger gatewarden_directory_group_left after delete on gatewarden_directory_group
  referencing old table as changed for each statement execute function gatewarden_count_of_account('directory_group');
create trigger gatewarden_directory_group_recorded after insert or delete on gatewarden_directory_group
  for each row execute function gatewarden_record_directory_group();
create trigger gatewarden_directory_group_rerecorded after update on gatewarden_directory_group
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_directory_group();

create policy gatewarden_tenant on gatewarden_directory_group
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_directory_group_member (
  group_id uuid not null references gatewarden_directory_group (id) on delete cascade,
  member_id uuid not null references gatewarden_directory_user (id) on delete cascade,
  primary key (group_id, member_id)
);

create index gatewarden_directory_group_member_user on gatewarden_directory_group_member (member_id);

create policy gatewarden_tenant on gatewarden_directory_group_member
  using (current_user <> 'gatewarden_tenant' or exists (select from gatewarden_directory_group o where o.id = group_id));

create table gatewarden_group_mapping (
  id uuid primary key,
  account_id uuid not null,
  group_id uuid not null references gatewarden_directory_group (id) on delete cascade,
  workspace_id uuid not null,
  role text collate "C" not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (group_id, workspace_id),
  foreign key (workspace_id, account_id) references gatewarden_workspace (id, account_id) on delete cascade
);

create index gatewarden_group_mapping_time on gatewarden_group_mapping (account_id, created_at, id);
create index gatewarden_group_mapping_workspace on gatewarden_group_mapping (workspace_id);

create trigger gatewarden_group_mapping_kept after insert on gatewarden_group_mapping
  referencing new table as changed for each statement execute function gatewarden_count_of_account('group_mapping');
create trigger gatewarden_group_mapping_left after delete on gatewarden_group_mapping
  referencing old table as changed for each statement execute function gatewarden_count_of_account('group_mapping');
create trigger gatewarden_group_mapping_recorded after insert or delete on gatewarden_group_mapping
  for each row execute function gatewarden_record_group_mapping();
create trigger gatewarden_group_mapping_rerecorded after update on gatewarden_group_mapping
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_group_mapping();

create policy gatewarden_tenant on gatewarden_group_mapping
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_directory_sync (
  account_id uuid primary key references gatewarden_account (id) deferrable initially deferred,
  id uuid not null,
  status text collate "C" not null,
  synced_groups int not null,
  -- The group that was settled last.
  after uuid,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz
);

create index gatewarden_directory_sync_unfinished on gatewarden_directory_sync (account_id) where finished_at is null;

-- That it was started is configuration; how far it is is not.
create trigger gatewarden_directory_sync_recorded after insert on gatewarden_directory_sync
  for each row execute function gatewarden_record_directory_sync();

create policy gatewarden_tenant on gatewarden_directory_sync
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));
