/**
 * API keys, what became of deleted ones, and how often a key may be used.
 *
 * A management key and a key of a gateway that serves every account live in no workspace. A deleted key leaves its hash for 90 days, and of
 * each account the last 10,000, so that a refused caller is told what became of it.
 */
export const keys = `
create table gatewarden_api_key (
  hash text collate "C" primary key,
  account_id uuid not null references gatewarden_account (id) deferrable initially deferred,
  kind text collate "C" not null,
  workspace_id uuid,
  user_id text collate "C",
  external_user text collate "C",
  creator_user_id text collate "C",
  name text collate "C" not null,
  label text collate "C" not null,
  disabled boolean not null,
  limit_nanos bigint,
  limit_reset text collate "C",
  include_byok_in_limit boolean not null,
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz,
  -- When a key ends because it was revoked or replaced, and not because it expires.
  revoked_at timestamptz,
  constraint gatewarden_api_key_place check ((kind = 'normal') = (workspace_id is not null)),
  foreign key (workspace_id, account_id) references gatewarden_workspace (id, account_id)
);

create index gatewarden_api_key_account on gatewarden_api_key (account_id, created_at, hash);
create index gatewarden_api_key_user on gatewarden_api_key (account_id, user_id) where user_id is not null;
create index gatewarden_api_key_workspace on gatewarden_api_key (workspace_id, account_id, created_at, hash);
create index gatewarden_api_key_enabled on gatewarden_api_key (workspace_id, account_id, created_at, hash) where not disabled;
create index gatewarden_api_key_management on gatewarden_api_key (account_id, created_at, hash) where kind = 'management';

create trigger gatewarden_api_key_changed after update on gatewarden_api_key
  for each row when (old.* is distinct from new.*) execute function gatewarden_log_key_change();
create trigger gatewarden_api_key_added after insert or delete on gatewarden_api_key
  for each row execute function gatewarden_log_key_change();
create trigger gatewarden_api_key_kept after insert on gatewarden_api_key
  referencing new table as added for each statement execute function gatewarden_count_keys();
create trigger gatewarden_api_key_moved after update on gatewarden_api_key
  referencing old table as removed new table as added for each statement execute function gatewarden_count_keys();
create trigger gatewarden_api_key_left after delete on gatewarden_api_key
  referencing old table as removed for each statement execute function gatewarden_count_keys();
create trigger gatewarden_api_key_deleted after delete on gatewarden_api_key
  referencing old table as removed for each statement execute function gatewarden_note_deleted_keys();

create table gatewarden_deleted_key (
  hash text collate "C" primary key,
  account_id uuid not null,
  deleted_at timestamptz not null
);

create index gatewarden_deleted_key_account on gatewarden_deleted_key (account_id, deleted_at);
create index gatewarden_deleted_key_age on gatewarden_deleted_key (deleted_at);

create table gatewarden_key_rate_limit (
  key_hash text collate "C" primary key references gatewarden_api_key (hash) on delete cascade,
  account_id uuid not null,
  requests_per_minute bigint,
  tokens_per_minute bigint,
  parallel_requests bigint
);

create trigger gatewarden_key_rate_limit_changed after insert or delete or update on gatewarden_key_rate_limit
  for each row execute function gatewarden_log_change_of_owner('key', 'key_hash');

create table gatewarden_key_admission (
  admission_id text collate "C" primary key,
  account_id uuid not null,
  key_hash text collate "C" not null,
  admitted_at timestamptz not null,
  expires_at timestamptz not null,
  tokens bigint not null,
  is_open boolean not null
) with (fillfactor = 70);

create index gatewarden_key_admission_key on gatewarden_key_admission (account_id, key_hash, admitted_at);
`
