/** Observability destinations. `config` is what is shown, with masks in place of secrets; `sealed_config` is the true one, encrypted. */
export const destinations = {
  id: 5,
  name: "destinations",
  sql: `
create table gatewarden_destination (
  id uuid primary key,
  account_id uuid not null,
  workspace_id uuid not null,
  type text collate "C" not null,
  name text collate "C",
  enabled boolean not null,
  privacy_mode boolean not null,
  sampling_rate double precision not null,
  api_key_hashes text[],
  filter_rules json,
  broadcast_generation_cost boolean not null,
  broadcast_generation_identity boolean not null,
  broadcast_generation_request_context boolean not null,
  regions text[] not null,
  config json not null,
  sealed_config bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  foreign key (workspace_id, account_id) references gatewarden_workspace (id, account_id) on delete cascade
);

create index gatewarden_destination_workspace on gatewarden_destination (workspace_id, created_at, id);
`
} as const
