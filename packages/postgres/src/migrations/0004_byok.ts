/**
 * Upstream provider keys, encrypted.
 *
 * The last index keeps the places within a group distinct; they are given while the workspace is held (`holdWorkspace`).
 */
export const byok = {
  id: 4,
  name: "byok",
  sql: `
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
  sort_order integer not null,
  allowed_api_key_hashes text[],
  allowed_models text[],
  allowed_user_ids text[],
  created_at timestamptz not null,
  check (not (is_byok_only and is_fallback)),
  foreign key (workspace_id, account_id) references gatewarden_workspace (id, account_id) on delete cascade
);

create index gatewarden_byok_credential_workspace on gatewarden_byok_credential (workspace_id, created_at, id);
create unique index gatewarden_byok_credential_place
  on gatewarden_byok_credential (workspace_id, provider, is_fallback, sort_order);
`
} as const
