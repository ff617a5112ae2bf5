-- Accounts, their settings and credits, and their workspaces with members and budgets.
--
-- What lives in a workspace refers to it together with the account, so a row in a foreign workspace cannot be written. Text sorts by code
-- point (`collate "C"`), as every order of the contract does. Every list has an index in its order, behind what the list is of.
--
-- Policies named gatewarden_tenant do nothing before row-level security is switched on, and then they hold the role gatewarden_tenant
-- alone.
-- Docs: docs/decisions/0011-row-level-security.md

create table gatewarden_account (
  id uuid primary key,
  name text collate "C" not null unique,
  default_workspace_id uuid not null,
  created_at timestamptz not null,
  suspended_at timestamptz
);

create trigger gatewarden_account_recorded after insert or delete on gatewarden_account
  for each row execute function gatewarden_record_account();
create trigger gatewarden_account_rerecorded after update on gatewarden_account
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_account();

create policy gatewarden_tenant on gatewarden_account
  using (current_user <> 'gatewarden_tenant' or id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

-- A row for each account that set one (Rule: access#organization-settings).
create table gatewarden_organization_settings (
  account_id uuid primary key,
  is_filtered_model_catalog_enabled boolean not null
);

create trigger gatewarden_organization_settings_recorded after insert or delete on gatewarden_organization_settings
  for each row execute function gatewarden_record_organization_settings();
create trigger gatewarden_organization_settings_rerecorded after update on gatewarden_organization_settings
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_organization_settings();

create policy gatewarden_tenant on gatewarden_organization_settings
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_workspace (
  id uuid primary key,
  account_id uuid not null references gatewarden_account (id) deferrable initially deferred,
  slug text collate "C" not null,
  name text collate "C" not null,
  description text collate "C" not null,
  created_by text collate "C" not null,
  default_text_model text collate "C" not null,
  default_image_model text collate "C" not null,
  default_provider_sort text collate "C" not null,
  default_guardrail_id uuid not null unique,
  io_logging_api_key_ids bigint[],
  io_logging_sampling_rate double precision not null,
  is_data_discount_logging_enabled boolean not null,
  -- Null while nobody has set it: it then follows whether there are destinations.
  is_observability_broadcast_enabled boolean,
  is_observability_io_logging_enabled boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  disabled_server_tools text[] collate "C",
  -- Rule: presets#who-designates
  presets_designated_by text collate "C" not null default 'any_key'
    constraint gatewarden_workspace_presets check (presets_designated_by in ('any_key', 'creator', 'management_keys')),
  unique (account_id, slug),
  unique (id, account_id)
);

create index gatewarden_workspace_time on gatewarden_workspace (account_id, created_at, id);

create trigger gatewarden_workspace_kept after insert on gatewarden_workspace
  referencing new table as changed for each statement execute function gatewarden_count_of_account('workspace');
create trigger gatewarden_workspace_left after delete on gatewarden_workspace
  referencing old table as changed for each statement execute function gatewarden_count_of_account('workspace');
create trigger gatewarden_workspace_amounts_left after delete on gatewarden_workspace
  referencing old table as removed for each statement execute function gatewarden_forget_workspace_amounts();
create trigger gatewarden_workspace_recorded after insert or delete on gatewarden_workspace
  for each row execute function gatewarden_record_workspace();
create trigger gatewarden_workspace_rerecorded after update on gatewarden_workspace
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_workspace();

create policy gatewarden_tenant on gatewarden_workspace
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_workspace_member (
  workspace_id uuid not null,
  user_id text collate "C" not null,
  id uuid not null unique,
  account_id uuid not null,
  role text collate "C" not null,
  created_at timestamptz not null,
  -- A membership that a directory gives is marked, so that it ends with what gave it.
  by_directory boolean not null default false,
  primary key (workspace_id, user_id),
  foreign key (workspace_id, account_id) references gatewarden_workspace (id, account_id) on delete cascade
);

create index gatewarden_workspace_member_user on gatewarden_workspace_member (account_id, user_id);
create index gatewarden_workspace_member_time on gatewarden_workspace_member (workspace_id, account_id, created_at, id);

create trigger gatewarden_workspace_member_kept after insert on gatewarden_workspace_member
  referencing new table as added for each statement execute function gatewarden_count_in_workspace('member');
create trigger gatewarden_workspace_member_left after delete on gatewarden_workspace_member
  referencing old table as removed for each statement execute function gatewarden_count_in_workspace('member');
create trigger gatewarden_workspace_member_recorded after insert or delete on gatewarden_workspace_member
  for each row execute function gatewarden_record_workspace_member();
create trigger gatewarden_workspace_member_rerecorded after update on gatewarden_workspace_member
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_workspace_member();
create trigger gatewarden_workspace_member_names after insert on gatewarden_workspace_member
  referencing new table as added for each statement execute function gatewarden_name_users();
create trigger gatewarden_workspace_member_names_no_more after delete on gatewarden_workspace_member
  referencing old table as removed for each statement execute function gatewarden_name_users();
create trigger gatewarden_workspace_member_names_another after update on gatewarden_workspace_member
  for each row when (old.user_id is distinct from new.user_id) execute function gatewarden_name_users();

create policy gatewarden_tenant on gatewarden_workspace_member
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_workspace_budget (
  workspace_id uuid not null,
  interval text collate "C" not null,
  id uuid not null unique,
  account_id uuid not null,
  limit_nanos bigint not null,
  include_byok boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, interval),
  foreign key (workspace_id, account_id) references gatewarden_workspace (id, account_id) on delete cascade
);

create trigger gatewarden_workspace_budget_recorded after insert or delete on gatewarden_workspace_budget
  for each row execute function gatewarden_record_workspace_budget();
create trigger gatewarden_workspace_budget_rerecorded after update on gatewarden_workspace_budget
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_workspace_budget();

create policy gatewarden_tenant on gatewarden_workspace_budget
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

-- What the operator has granted to accounts: entries that are appended, each with the total after it.
create table gatewarden_credit_grant (
  id uuid not null,
  account_id uuid not null references gatewarden_account (id),
  -- In the order of the account's entries, from 1.
  number integer not null,
  amount_nanos bigint not null,
  total_nanos bigint not null check (total_nanos >= 0),
  note text collate "C" not null,
  created_at timestamptz not null,
  primary key (account_id, number)
);

create trigger gatewarden_credit_grant_recorded after insert or delete on gatewarden_credit_grant
  for each row execute function gatewarden_record_credit_grant();
create trigger gatewarden_credit_grant_rerecorded after update on gatewarden_credit_grant
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_credit_grant();

create policy gatewarden_tenant on gatewarden_credit_grant
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));
