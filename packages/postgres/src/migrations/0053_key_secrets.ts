/**
 * The secrets of keys that were rotated. A key without rows is opened by the secret of its own hash alone.
 *
 * The newest secret has no end, and a key has one such row at most. Sweeps remove rows that have ended, never the newest, so that the
 * first secret of a key that was once rotated does not open it again.
 */
export const keySecrets = {
  id: 53,
  name: "key_secrets",
  sql: `
create table gatewarden_key_secret (
  secret_hash text collate "C" primary key,
  key_hash text collate "C" not null references gatewarden_api_key (hash) on delete cascade,
  account_id uuid not null,
  -- In the order in which they were made.
  number integer not null,
  ends_at timestamptz,
  unique (key_hash, number)
);

create unique index gatewarden_key_secret_newest on gatewarden_key_secret (key_hash) where ends_at is null;
create index gatewarden_key_secret_ended on gatewarden_key_secret (ends_at) where ends_at is not null;

create trigger gatewarden_key_secret_deleted after delete on gatewarden_key_secret
  referencing old table as removed for each statement execute function gatewarden_note_deleted_secrets();
`
} as const
