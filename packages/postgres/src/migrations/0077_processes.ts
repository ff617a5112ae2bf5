/**
 * Which processes run, with the ids of their keys: `keyring rotate` names a process whose keyring differs.
 *
 * Unlogged, because it is true of running processes alone: it is in no backup, and a crash of the database empties it until they announce
 * themselves again.
 */
export const processes = {
  id: 77,
  name: "processes",
  sql: `
create unlogged table gatewarden_process (
  id text collate "C" primary key,
  host text collate "C" not null,
  pid integer,
  key_ids text[] not null,
  started_at timestamptz not null,
  ends_at timestamptz not null
) with (fillfactor = 50);
`
} as const
