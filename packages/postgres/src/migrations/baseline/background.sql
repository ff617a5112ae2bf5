-- Background jobs with their leases, and which processes run, with the ids of their keys: `keyring rotate` names a process whose keyring
-- differs.
--
-- gatewarden_process is unlogged, because it is true of running processes alone: it is in no backup, and a crash of the database empties
-- it until they announce themselves again.

create table gatewarden_background_job (
  job text collate "C" primary key,
  token bigint not null default 0,
  due_at timestamptz not null,
  lease_until timestamptz,
  began_at timestamptz,
  succeeded_at timestamptz,
  failures integer not null default 0,
  position text collate "C"
) with (fillfactor = 50);

create unlogged table gatewarden_process (
  id text collate "C" primary key,
  host text collate "C" not null,
  pid integer,
  key_ids text[] not null,
  started_at timestamptz not null,
  ends_at timestamptz not null
) with (fillfactor = 50);
