/**
 * Upstream provider keys, encrypted. The unique index keeps the places within a group distinct. A credential that is sealed with another key
 * is the same credential: that change is not told.
 */
export const credentials = `
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
  check (not (is_byok_only and is_fallback)),
  foreign key (workspace_id, account_id) references gatewarden_workspace (id, account_id) on delete cascade
);

create unique index gatewarden_byok_credential_place on gatewarden_byok_credential (workspace_id, provider, is_fallback, sort_order);
create index gatewarden_byok_credential_workspace on gatewarden_byok_credential (workspace_id, account_id, created_at, id);
create index gatewarden_byok_credential_provider on gatewarden_byok_credential (workspace_id, provider, account_id, created_at, id);

create trigger gatewarden_byok_credential_added after insert or delete on gatewarden_byok_credential
  for each row execute function gatewarden_log_change_in_workspace('credential');
create trigger gatewarden_byok_credential_changed after update on gatewarden_byok_credential
 
  for each row when ((to_jsonb(old.*) - 'sealed_key') is distinct from (to_jsonb(new.*) - 'sealed_key'))
  execute function gatewarden_log_change_in_workspace('credential');
create trigger gatewarden_byok_credential_kept after insert on gatewarden_byok_credential
  referencing new table as added for each statement execute function gatewarden_count_credentials();
create trigger gatewarden_byok_credential_left after delete on gatewarden_byok_credential
  referencing old table as removed for each statement execute function gatewarden_count_credentials();
`
