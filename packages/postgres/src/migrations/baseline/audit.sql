-- The stream of changes in full: who changed what, before and after, in the transaction of the change; sealed in a chain of hashes per
-- account.
--
-- Triggers append the rows, so no statement can forget to. They write every column but the hidden ones, which hold secrets or hashes of
-- secrets; the audit log shows the fields that the API shows. A statement names its actor in the setting `gatewarden.acting`. Each row
-- knows the transaction that wrote it: a reader keeps the snapshot with which it last read and asks for what that did not see, which is
-- exact whatever the order in which transactions commit.
--
-- A row is written once and never updated. Its position, its hash and its actor are in the row's seal, so that a writer pays for one
-- index: it is in the order in which readers of the stream ask.
--
-- Who can write to the database can compute a chain's hashes anew; its end is signed with the keyring, and checked against what was
-- signed. A background job signs the ends that `is_signed` does not mark.

-- Compressing a row of two or three kilobytes costs its writer more than the row.
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
) with (toast_tuple_target = 8160);

-- Changes of the catalog are of no account, and public.
create policy gatewarden_tenant on gatewarden_changes
  using (current_user <> 'gatewarden_tenant' or account_id is null
    or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

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

create policy gatewarden_tenant on gatewarden_audit_seal
  using (current_user <> 'gatewarden_tenant' or owner = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_audit_chain (
  owner uuid primary key,
  position bigint not null,
  hash text collate "C" not null,
  -- Of the last change that was pruned: where the chain begins.
  pruned_position bigint not null default 0,
  pruned_hash text collate "C" not null default '',
  is_signed boolean not null default false
);

create index gatewarden_audit_chain_unsigned on gatewarden_audit_chain (owner) where not is_signed;

create policy gatewarden_tenant on gatewarden_audit_chain
  using (current_user <> 'gatewarden_tenant' or owner = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_audit_horizon (
  one boolean primary key default true check (one),
  -- Changes of transactions before this one are sealed.
  sealed_before xid8 not null
);

create table gatewarden_audit_signature (
  account_id uuid primary key,
  -- Position, hash and the first position that was signed, encrypted.
  sealed bytea not null
) with (fillfactor = 70);

create policy gatewarden_tenant on gatewarden_audit_signature
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));
