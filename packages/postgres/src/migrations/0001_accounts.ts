/**
 * Accounts, workspaces and API keys.
 *
 * What lives in a workspace refers to it together with the account, so a row in a foreign workspace cannot be written. Text sorts by code point (`collate "C"`), as every order of the contract does.
 */
export const accounts = {
  id: 1,
  name: "accounts",
  sql: `
create table gatewarden_account (
  id uuid primary key,
  name text collate "C" not null unique,
  default_workspace_id uuid not null,
  created_at timestamptz not null
);

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
  check ((kind = 'management') = (workspace_id is null)),
  foreign key (workspace_id, account_id) references gatewarden_workspace (id, account_id)
);

create index gatewarden_api_key_account on gatewarden_api_key (account_id, created_at, hash);
create index gatewarden_api_key_workspace on gatewarden_api_key (workspace_id);
`
} as const
