/**
 * Accounts, and their workspaces with members and budgets.
 *
 * What lives in a workspace refers to it together with the account, so a row in a foreign workspace cannot be written. Text sorts by code
 * point (`collate "C"`), as every order of the contract does. A user is a name: it exists as long as a key or a membership names it, and the
 * indexes by user find that out. Every list has an index in its order, behind what the list is of.
 */
export const accounts = `
create table gatewarden_account (
  id uuid primary key,
  name text collate "C" not null unique,
  default_workspace_id uuid not null,
  created_at timestamptz not null,
  suspended_at timestamptz
);

create trigger gatewarden_account_changed after update on gatewarden_account
  for each row when (old.suspended_at is distinct from new.suspended_at) execute function gatewarden_log_account_change();

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
  is_observability_broadcast_enabled boolean not null,
  is_observability_io_logging_enabled boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (account_id, slug),
  unique (id, account_id)
);

create trigger gatewarden_workspace_changed after update on gatewarden_workspace
  for each row when (old.* is distinct from new.*) execute function gatewarden_log_change('workspace');
create trigger gatewarden_workspace_added after insert or delete on gatewarden_workspace
  for each row execute function gatewarden_log_change('workspace');
create trigger gatewarden_workspace_kept after insert on gatewarden_workspace
  referencing new table as changed for each statement execute function gatewarden_count_of_account('workspace');
create trigger gatewarden_workspace_left after delete on gatewarden_workspace
  referencing old table as changed for each statement execute function gatewarden_count_of_account('workspace');
create trigger gatewarden_workspace_amounts_left after delete on gatewarden_workspace
  referencing old table as removed for each statement execute function gatewarden_forget_workspace_amounts();

create table gatewarden_workspace_member (
  workspace_id uuid not null,
  user_id text collate "C" not null,
  id uuid not null unique,
  account_id uuid not null,
  role text collate "C" not null,
  created_at timestamptz not null,
  primary key (workspace_id, user_id),
  foreign key (workspace_id, account_id) references gatewarden_workspace (id, account_id) on delete cascade
);

create index gatewarden_workspace_member_user on gatewarden_workspace_member (account_id, user_id);
create index gatewarden_workspace_member_time on gatewarden_workspace_member (workspace_id, account_id, created_at, id);

create trigger gatewarden_workspace_member_changed after insert or delete or update on gatewarden_workspace_member
  for each row execute function gatewarden_log_change_of_owner('workspace', 'workspace_id');
create trigger gatewarden_workspace_member_kept after insert on gatewarden_workspace_member
  referencing new table as added for each statement execute function gatewarden_count_in_workspace('member');
create trigger gatewarden_workspace_member_left after delete on gatewarden_workspace_member
  referencing old table as removed for each statement execute function gatewarden_count_in_workspace('member');

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

create trigger gatewarden_workspace_budget_changed after insert or delete or update on gatewarden_workspace_budget
  for each row execute function gatewarden_log_change_of_owner('workspace', 'workspace_id');
`
