/**
 * The stream of changes in full: who changed what, before and after, in the transaction of the change; sealed in a chain of hashes per
 * account.
 *
 * Triggers append the rows, so no statement can forget to. They write every column but the hidden ones, which hold secrets or hashes of
 * secrets; the audit log shows the fields that the API shows. A statement names its actor in the setting `gatewarden.acting`.
 *
 * A row is written once and never updated. Its position, its hash and its actor are in the row's seal, so that a writer pays for one index:
 * it is in the order in which readers of the stream ask.
 */
export const audit = {
  id: 43,
  name: "audit",
  sql: `
drop trigger gatewarden_workspace_changed on gatewarden_workspace;
drop trigger gatewarden_workspace_added on gatewarden_workspace;
drop trigger gatewarden_guardrail_changed on gatewarden_guardrail;
drop trigger gatewarden_guardrail_added on gatewarden_guardrail;
drop trigger gatewarden_api_key_changed on gatewarden_api_key;
drop trigger gatewarden_api_key_added on gatewarden_api_key;
drop trigger gatewarden_guardrail_key_changed on gatewarden_guardrail_key;
drop trigger gatewarden_key_rate_limit_changed on gatewarden_key_rate_limit;
drop trigger gatewarden_guardrail_member_changed on gatewarden_guardrail_member;
drop trigger gatewarden_workspace_member_changed on gatewarden_workspace_member;
drop trigger gatewarden_workspace_budget_changed on gatewarden_workspace_budget;
drop trigger gatewarden_byok_credential_added on gatewarden_byok_credential;
drop trigger gatewarden_byok_credential_changed on gatewarden_byok_credential;
drop trigger gatewarden_preset_added on gatewarden_preset;
drop trigger gatewarden_preset_changed on gatewarden_preset;
drop trigger gatewarden_account_changed on gatewarden_account;

drop function if exists gatewarden_log_change();
drop function if exists gatewarden_log_account_change();
drop function if exists gatewarden_log_change_in_workspace();
drop function if exists gatewarden_log_change_of_owner();
drop function if exists gatewarden_log_key_change();

-- Caches read nothing that is older than a restart, and the rows so far hold neither actor nor values.
drop table gatewarden_changes;

create table gatewarden_changes (
  xact xid8 not null default pg_current_xact_id(),
  seq bigserial,
  created_at timestamptz not null default now(),
  account_id uuid,
  workspace_id uuid,
  noun text collate "C" not null,
  action text collate "C" not null,
  id text collate "C" not null,
  -- JSON as the writer sent it; empty or null when nobody acted through Gatewarden.
  acting text,
  before json,
  after json,
  primary key (xact, seq)
);

-- Compressing a row of two or three kilobytes costs its writer more than the row.
alter table gatewarden_changes set (toast_tuple_target = 8160);

create table gatewarden_audit_seal (
  owner uuid not null,
  position bigint not null,
  xact xid8 not null,
  seq bigint not null,
  at timestamptz not null,
  actor_type text collate "C" not null,
  actor_id text collate "C",
  operation text collate "C",
  request_id text collate "C",
  hash text collate "C" not null,
  primary key (owner, position)
);

create unique index gatewarden_audit_seal_of on gatewarden_audit_seal (xact, seq);

create table gatewarden_audit_chain (
  owner uuid primary key,
  position bigint not null,
  hash text collate "C" not null,
  -- Of the last change that was pruned: where the chain begins.
  pruned_position bigint not null default 0,
  pruned_hash text collate "C" not null default ''
);

create table gatewarden_audit_horizon (
  one boolean primary key default true check (one),
  -- Changes of transactions before this one are sealed.
  sealed_before xid8 not null
);

create trigger gatewarden_account_recorded after insert or delete on gatewarden_account
  for each row execute function gatewarden_record_account();
create trigger gatewarden_account_rerecorded after update on gatewarden_account
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_account();

create trigger gatewarden_workspace_recorded after insert or delete on gatewarden_workspace
  for each row execute function gatewarden_record_workspace();
create trigger gatewarden_workspace_rerecorded after update on gatewarden_workspace
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_workspace();

create trigger gatewarden_workspace_member_recorded after insert or delete on gatewarden_workspace_member
  for each row execute function gatewarden_record_workspace_member();
create trigger gatewarden_workspace_member_rerecorded after update on gatewarden_workspace_member
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_workspace_member();

create trigger gatewarden_workspace_budget_recorded after insert or delete on gatewarden_workspace_budget
  for each row execute function gatewarden_record_workspace_budget();
create trigger gatewarden_workspace_budget_rerecorded after update on gatewarden_workspace_budget
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_workspace_budget();

create trigger gatewarden_api_key_recorded after insert or delete on gatewarden_api_key
  for each row execute function gatewarden_record_api_key();
create trigger gatewarden_api_key_rerecorded after update on gatewarden_api_key
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_api_key();

create trigger gatewarden_key_rate_limit_recorded after insert or delete on gatewarden_key_rate_limit
  for each row execute function gatewarden_record_key_rate_limit();
create trigger gatewarden_key_rate_limit_rerecorded after update on gatewarden_key_rate_limit
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_key_rate_limit();

create trigger gatewarden_guardrail_recorded after insert or delete on gatewarden_guardrail
  for each row execute function gatewarden_record_guardrail();
create trigger gatewarden_guardrail_rerecorded after update on gatewarden_guardrail
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_guardrail();

create trigger gatewarden_guardrail_key_recorded after insert or delete on gatewarden_guardrail_key
  for each row execute function gatewarden_record_guardrail_key();
create trigger gatewarden_guardrail_key_rerecorded after update on gatewarden_guardrail_key
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_guardrail_key();

create trigger gatewarden_guardrail_member_recorded after insert or delete on gatewarden_guardrail_member
  for each row execute function gatewarden_record_guardrail_member();
create trigger gatewarden_guardrail_member_rerecorded after update on gatewarden_guardrail_member
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_guardrail_member();

create trigger gatewarden_byok_credential_recorded after insert or delete on gatewarden_byok_credential
  for each row execute function gatewarden_record_byok_credential();
create trigger gatewarden_byok_credential_rerecorded after update on gatewarden_byok_credential
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_byok_credential();

create trigger gatewarden_destination_recorded after insert or delete on gatewarden_destination
  for each row execute function gatewarden_record_destination();
create trigger gatewarden_destination_rerecorded after update on gatewarden_destination
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_destination();

create trigger gatewarden_preset_recorded after insert or delete on gatewarden_preset
  for each row execute function gatewarden_record_preset();
create trigger gatewarden_preset_rerecorded after update on gatewarden_preset
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_preset();

create trigger gatewarden_authorization_code_recorded after insert or delete on gatewarden_authorization_code
  for each row execute function gatewarden_record_authorization_code();
create trigger gatewarden_authorization_code_rerecorded after update on gatewarden_authorization_code
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_authorization_code();

create trigger gatewarden_file_stored after update on gatewarden_file
  for each row when (old.state <> 'stored' and new.state = 'stored') execute function gatewarden_record_file();
create trigger gatewarden_file_gone after update on gatewarden_file
  for each row when (old.state = 'stored' and old.workspace_id is not null and (new.state <> 'stored' or new.workspace_id is null))
  execute function gatewarden_record_file();
`
} as const
