-- Upstream provider keys, encrypted. The unique index keeps the places within a group distinct.

create table gatewarden_byok_credential (
  id uuid primary key,
  account_id uuid not null,
  workspace_id uuid not null,
  provider text collate "C" not null,
  name text collate "C",
  label text collate "C" not null,
  sealed_key bytea not null,
  disabled boolean not null,
  is_fallback boolean not null,
  is_required boolean not null,
  is_byok_only boolean not null,
  declared_zdr boolean,
  sort_order int not null,
  allowed_api_key_hashes text[],
  allowed_models text[],
  allowed_user_ids text[],
  created_at timestamptz not null,
  -- Where the account behind the credential processes requests (Rule: byok#declared-region).
  declared_region text collate "C" constraint gatewarden_byok_credential_region check (declared_region in ('global', 'europe', 'us')),
  check (not (is_byok_only and is_fallback)),
  foreign key (workspace_id, account_id) references gatewarden_workspace (id, account_id) on delete cascade
);

create unique index gatewarden_byok_credential_place on gatewarden_byok_credential (workspace_id, provider, is_fallback, sort_order);
create index gatewarden_byok_credential_workspace on gatewarden_byok_credential (workspace_id, account_id, created_at, id);
create index gatewarden_byok_credential_provider on gatewarden_byok_credential (workspace_id, provider, account_id, created_at, id);

create trigger gatewarden_byok_credential_kept after insert on gatewarden_byok_credential
  referencing new table as added for each statement execute function gatewarden_count_credentials();
create trigger gatewarden_byok_credential_left after delete on gatewarden_byok_credential
  referencing old table as removed for each statement execute function gatewarden_count_credentials();
create trigger gatewarden_byok_credential_recorded after insert or delete on gatewarden_byok_credential
  for each row execute function gatewarden_record_byok_credential();
create trigger gatewarden_byok_credential_rerecorded after update on gatewarden_byok_credential
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_byok_credential();

create policy gatewarden_tenant on gatewarden_byok_credential
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));
