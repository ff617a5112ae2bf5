-- Which tokens of which issuer are exchanged for keys, and each exchange for as long as its key or its token lives.

create table gatewarden_federation_policy (
  id uuid primary key,
  account_id uuid not null,
  workspace_id uuid not null,
  name text collate "C" not null,
  issuer text collate "C" not null,
  audience text collate "C" not null,
  jwks_uri text collate "C",
  subject text collate "C" not null,
  claims jsonb,
  lifetime_seconds integer not null,
  limit_nanos bigint,
  user_id text collate "C",
  allow_reuse boolean not null,
  disabled boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  foreign key (workspace_id, account_id) references gatewarden_workspace (id, account_id) on delete cascade
);

create index gatewarden_federation_policy_workspace
  on gatewarden_federation_policy (workspace_id, account_id, created_at, id);

create trigger gatewarden_federation_policy_kept after insert on gatewarden_federation_policy
  referencing new table as added for each statement execute function gatewarden_count_in_workspace('federation_policy');
create trigger gatewarden_federation_policy_left after delete on gatewarden_federation_policy
  referencing old table as removed for each statement execute function gatewarden_count_in_workspace('federation_policy');
create trigger gatewarden_federation_policy_recorded after insert or delete on gatewarden_federation_policy
  for each row execute function gatewarden_record_federation_policy();
create trigger gatewarden_federation_policy_rerecorded after update on gatewarden_federation_policy
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_federation_policy();

create policy gatewarden_tenant on gatewarden_federation_policy
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_token_exchange (
  account_id uuid not null,
  use_id text collate "C" not null,
  -- Null once the key is deleted; the use is kept until its token has expired, too.
  key_hash text collate "C",
  key_ends_at timestamptz not null,
  ends_at timestamptz not null,
  primary key (account_id, use_id)
);

create index gatewarden_token_exchange_key on gatewarden_token_exchange (key_ends_at) where key_hash is not null;
create index gatewarden_token_exchange_end on gatewarden_token_exchange (ends_at) where key_hash is null;

create policy gatewarden_tenant on gatewarden_token_exchange
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));
