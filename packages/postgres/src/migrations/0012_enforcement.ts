/**
 * What decisions stand on beside keys and guardrails: which guardrail is assigned to what, who is a member where, what a workspace
 * may spend, and how often a key may be used.
 *
 * A key and a member have one guardrail at most. A user is a name; it exists as long as something names it.
 */
export const enforcement = {
  id: 12,
  name: "enforcement",
  sql: `
create unique index gatewarden_guardrail_account on gatewarden_guardrail (id, account_id);

create table gatewarden_guardrail_key (
  key_hash text collate "C" primary key references gatewarden_api_key (hash) on delete cascade,
  id uuid not null unique,
  account_id uuid not null,
  guardrail_id uuid not null,
  assigned_by text collate "C",
  created_at timestamptz not null,
  foreign key (guardrail_id, account_id) references gatewarden_guardrail (id, account_id) on delete cascade
);

create index gatewarden_guardrail_key_guardrail on gatewarden_guardrail_key (guardrail_id, created_at, id);

create table gatewarden_guardrail_member (
  account_id uuid not null,
  user_id text collate "C" not null,
  id uuid not null unique,
  guardrail_id uuid not null,
  assigned_by text collate "C",
  created_at timestamptz not null,
  primary key (account_id, user_id),
  foreign key (guardrail_id, account_id) references gatewarden_guardrail (id, account_id) on delete cascade
);

create index gatewarden_guardrail_member_guardrail on gatewarden_guardrail_member (guardrail_id, created_at, id);

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

create table gatewarden_key_rate_limit (
  key_hash text collate "C" primary key references gatewarden_api_key (hash) on delete cascade,
  account_id uuid not null,
  requests_per_minute bigint,
  tokens_per_minute bigint,
  parallel_requests bigint
);
`
} as const
