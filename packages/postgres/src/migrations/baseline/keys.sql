-- API keys, what became of deleted ones, and how often a key may be used.
--
-- A management key and a key of a gateway that serves every account live in no workspace. A deleted key leaves its hash for 90 days, and
-- of each account the last 10,000, so that a refused caller is told what became of it.

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
  -- What a management key is restricted to (Rule: access#restricted-keys).
  restrictions jsonb,
  -- How many days before its expiry it is alerted of next, if an alert of that is left (Rule: alerts#crossings).
  next_notice integer,
  -- How it was issued, if not by a person (Rule: presets#who-designates).
  issued_by text collate "C"
    constraint gatewarden_api_key_issued check (issued_by is null or (issued_by in ('consent', 'exchange') and kind = 'normal')),
  constraint gatewarden_api_key_place check ((kind = 'normal') = (workspace_id is not null)),
  foreign key (workspace_id, account_id) references gatewarden_workspace (id, account_id),
  constraint gatewarden_api_key_restrictions check (restrictions is null or kind = 'management')
);

create index gatewarden_api_key_account on gatewarden_api_key (account_id, created_at, hash);
create index gatewarden_api_key_user on gatewarden_api_key (account_id, user_id) where user_id is not null;
create index gatewarden_api_key_workspace on gatewarden_api_key (workspace_id, account_id, created_at, hash);
create index gatewarden_api_key_enabled on gatewarden_api_key (workspace_id, account_id, created_at, hash) where not disabled;
create index gatewarden_api_key_management on gatewarden_api_key (account_id, created_at, hash) where kind = 'management';
-- A batch of alerts finds here only keys of which an alert is left: those before them cost nothing.
create index gatewarden_api_key_expiring on gatewarden_api_key (workspace_id, next_notice, expires_at)
  where next_notice is not null and not disabled and revoked_at is null;
create index gatewarden_api_key_creator on gatewarden_api_key (account_id, creator_user_id)
  where creator_user_id is not null;
create index gatewarden_api_key_external on gatewarden_api_key (account_id, external_user) where external_user is not null;
-- Which users are admins.
create index gatewarden_api_key_admin on gatewarden_api_key (account_id, user_id) where kind = 'management' and user_id is not null;

create trigger gatewarden_api_key_noticed before insert on gatewarden_api_key
  for each row when (new.expires_at is not null and new.workspace_id is not null)
  execute function gatewarden_plan_expiry_notice();
create trigger gatewarden_api_key_kept after insert on gatewarden_api_key
  referencing new table as added for each statement execute function gatewarden_count_keys();
create trigger gatewarden_api_key_moved after update on gatewarden_api_key
  referencing old table as removed new table as added for each statement execute function gatewarden_count_keys();
create trigger gatewarden_api_key_left after delete on gatewarden_api_key
  referencing old table as removed for each statement execute function gatewarden_count_keys();
create trigger gatewarden_api_key_deleted after delete on gatewarden_api_key
  referencing old table as removed for each statement execute function gatewarden_note_deleted_keys();
create trigger gatewarden_api_key_recorded after insert or delete on gatewarden_api_key
  for each row execute function gatewarden_record_api_key();
-- An alert is no change of the key.
create trigger gatewarden_api_key_rerecorded after update on gatewarden_api_key
  for each row when (old.* is distinct from new.* and old.next_notice is not distinct from new.next_notice)
  execute function gatewarden_record_api_key();
create trigger gatewarden_api_key_names after insert on gatewarden_api_key
  referencing new table as added for each statement execute function gatewarden_name_users();
create trigger gatewarden_api_key_names_no_more after delete on gatewarden_api_key
  referencing old table as removed for each statement execute function gatewarden_name_users();
create trigger gatewarden_api_key_names_another after update on gatewarden_api_key
  for each row when (old.user_id is distinct from new.user_id) execute function gatewarden_name_users();

create policy gatewarden_tenant on gatewarden_api_key
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_deleted_key (
  hash text collate "C" primary key,
  account_id uuid not null,
  deleted_at timestamptz not null,
  -- A request that was admitted before is settled under the same names.
  user_id text collate "C",
  external_user text collate "C"
);

create index gatewarden_deleted_key_account on gatewarden_deleted_key (account_id, deleted_at);
create index gatewarden_deleted_key_age on gatewarden_deleted_key (deleted_at);
create index gatewarden_deleted_key_user on gatewarden_deleted_key (account_id, user_id) where user_id is not null;
create index gatewarden_deleted_key_external on gatewarden_deleted_key (account_id, external_user)
  where external_user is not null;

create policy gatewarden_tenant on gatewarden_deleted_key
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

-- The secrets of keys that were rotated. A key without rows is opened by the secret of its own hash alone. The newest secret has no end,
-- and a key has one such row at most. Sweeps remove rows that have ended, never the newest, so that the first secret of a key that was
-- once rotated does not open it again.
create table gatewarden_key_secret (
  secret_hash text collate "C" primary key,
  key_hash text collate "C" not null references gatewarden_api_key (hash) on delete cascade,
  account_id uuid not null,
  -- In the order in which they were made.
  number integer not null,
  ends_at timestamptz,
  unique (key_hash, number)
);

create unique index gatewarden_key_secret_newest on gatewarden_key_secret (key_hash) where ends_at is null;
create index gatewarden_key_secret_ended on gatewarden_key_secret (ends_at) where ends_at is not null;

create trigger gatewarden_key_secret_deleted after delete on gatewarden_key_secret
  referencing old table as removed for each statement execute function gatewarden_note_deleted_secrets();

create policy gatewarden_tenant on gatewarden_key_secret
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_key_rate_limit (
  key_hash text collate "C" primary key references gatewarden_api_key (hash) on delete cascade,
  account_id uuid not null,
  requests_per_minute bigint,
  tokens_per_minute bigint,
  parallel_requests bigint
);

create trigger gatewarden_key_rate_limit_recorded after insert or delete on gatewarden_key_rate_limit
  for each row execute function gatewarden_record_key_rate_limit();
create trigger gatewarden_key_rate_limit_rerecorded after update on gatewarden_key_rate_limit
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_key_rate_limit();

create policy gatewarden_tenant on gatewarden_key_rate_limit
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

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

create policy gatewarden_tenant on gatewarden_key_admission
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));
