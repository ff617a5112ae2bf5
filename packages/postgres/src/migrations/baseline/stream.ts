/**
 * The log of what changed. Triggers write it in the statement that changes, so no statement can forget to.
 *
 * A row says that something is no longer what it was, not what it became: a reader asks for it anew. Each knows the transaction that wrote it:
 * a reader keeps the snapshot with which it last read and asks for what that did not see, which is exact whatever the order in which
 * transactions commit. A change of a workspace stands for all that is in it, one of an assignment or a rate limit for the key or member that
 * has it.
 */
export const stream = `
create table gatewarden_changes (
  seq bigserial primary key,
  account_id uuid,
  topic text collate "C" not null,
  id text collate "C" not null,
  created_at timestamptz not null default clock_timestamp(),
  xact xid8 not null default pg_current_xact_id()
);

create index gatewarden_changes_age on gatewarden_changes using brin (created_at);
create index gatewarden_changes_xact on gatewarden_changes (xact);
`
