-- Observability destinations.
--
-- `config` is what is shown, with masks in place of secrets; `sealed_config` is the true one, encrypted.

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
  -- When it was last allowed each part of what is recorded, in epoch milliseconds, and how often its dead letters were sent again.
  receives_since json not null default '{}',
  replays bigint not null default 0,
  foreign key (workspace_id, account_id) references gatewarden_workspace (id, account_id) on delete cascade
);

create index gatewarden_destination_workspace on gatewarden_destination (workspace_id, account_id, created_at, id);

create trigger gatewarden_destination_kept after insert on gatewarden_destination
  referencing new table as added for each statement execute function gatewarden_count_in_workspace('destination');
create trigger gatewarden_destination_left after delete on gatewarden_destination
  referencing old table as removed for each statement execute function gatewarden_count_in_workspace('destination');
create trigger gatewarden_destination_recorded after insert or delete on gatewarden_destination
  for each row execute function gatewarden_record_destination();
-- Compared as texts: columns of type `json` have no equality.
create trigger gatewarden_destination_rerecorded after update on gatewarden_destination
  for each row when ((old.*)::text is distinct from (new.*)::text) execute function gatewarden_record_destination();
create trigger gatewarden_destination_delivery after update or delete on gatewarden_destination
  for each row execute function gatewarden_wake_delivery();

create policy gatewarden_tenant on gatewarden_destination
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));
