import type { SqlFunction } from "./SqlFunction.ts"
import { countListed, ofChanges } from "./changes.ts"

/**
 * Keys are counted for their account and, where they have one, for their workspace, in which those that are not disabled are also listed
 * apart.
 */
export const addKeys: SqlFunction = {
  name: "gatewarden_add_keys",
  sql: `
create or replace function gatewarden_add_keys(accounts uuid[], workspaces uuid[], are_disabled boolean[], more bigint[])
returns void language sql as $body$
  select gatewarden_add_stored(array_agg(c.account_id), c.kind, array_agg(c.owner_id), array_agg(c.n), array_agg(0::bigint))
  from (
    select a.account_id, o.kind, o.owner_id, sum(a.n)::bigint as n
    from unnest(accounts, workspaces, are_disabled, more) as a (account_id, workspace_id, disabled, n)
    cross join lateral (values
      ('key', '00000000-0000-0000-0000-000000000000'::uuid), ('key', a.workspace_id),
      ('enabled_key', case when not a.disabled then a.workspace_id end)
    ) as o (kind, owner_id)
    where o.owner_id is not null
    group by a.account_id, o.kind, o.owner_id having sum(a.n) <> 0
  ) c group by c.kind
$body$
`
}

/** Adds rows of several owners to their owners and to the accounts of these. */
export const addListed: SqlFunction = {
  name: "gatewarden_add_listed",
  sql: `
create or replace function gatewarden_add_listed(of_kind text, accounts uuid[], owners uuid[], more bigint[])
returns void language sql as $body$
  select gatewarden_add_stored(array_agg(c.account_id), of_kind, array_agg(c.owner_id), array_agg(c.n), array_agg(0::bigint))
  from (
    select a.account_id, unnest(array[a.owner_id, '00000000-0000-0000-0000-000000000000']) as owner_id, a.n
    from unnest(accounts, owners, more) as a (account_id, owner_id, n)
  ) c having count(*) > 0
$body$
`
}

/**
 * Adds to the amounts of several owners. A writer takes the rows that nobody has locked and merges them, or inserts another one, so that no
 * transaction waits for another that writes beside it. An owner that is deleted keeps no amounts: what a cascade takes with it is counted
 * after the owner's own rows are gone.
 */
export const addStored: SqlFunction = {
  name: "gatewarden_add_stored",
  sql: `
create or replace function gatewarden_add_stored(
  accounts uuid[], of_kind text, workspaces uuid[], more_rows bigint[], more_bytes bigint[]
)
returns void language plpgsql as $body$
declare
  owner record;
begin
  for owner in
    select a.account_id, a.workspace_id, sum(a.rows)::bigint as rows, sum(a.bytes)::bigint as bytes
    from unnest(accounts, workspaces, more_rows, more_bytes) as a (account_id, workspace_id, rows, bytes)
    group by a.account_id, a.workspace_id
  loop
    continue when owner.rows = 0 and owner.bytes = 0;
    continue when owner.rows < 0 and owner.workspace_id <> '00000000-0000-0000-0000-000000000000'
      and not exists (select from gatewarden_workspace w where w.id = owner.workspace_id)
      and not exists (select from gatewarden_guardrail g where g.id = owner.workspace_id);
    -- Under a snapshot, a row that others have changed since cannot be updated.
    if current_setting('transaction_isolation') = 'read committed' then
      with mine as materialized (
        select s.id, s.rows, s.bytes from gatewarden_stored_amount s
        where s.account_id = owner.account_id and s.kind = of_kind and s.workspace_id = owner.workspace_id
        order by s.id limit 16 for update skip locked
      ), merged as (
        delete from gatewarden_stored_amount s using mine where s.id = mine.id and s.id <> (select min(id) from mine)
      )
      update gatewarden_stored_amount s
      set rows = (select sum(m.rows) from mine m) + owner.rows, bytes = (select sum(m.bytes) from mine m) + owner.bytes
      where s.id = (select min(id) from mine);
      continue when found;
    end if;
    insert into gatewarden_stored_amount (account_id, kind, workspace_id, rows, bytes)
    values (owner.account_id, of_kind, owner.workspace_id, owner.rows, owner.bytes);
  end loop;
end
$body$
`
}

/** Counts assignments in their guardrail. They may move from one to another. Their kind is the argument. */
export const countAssignments: SqlFunction = {
  name: "gatewarden_count_assignments",
  sql: `
create or replace function gatewarden_count_assignments()
returns trigger language plpgsql as $body$${ofChanges("account_id, guardrail_id", countListed("tg_argv[0]", "guardrail_id"))}$body$
`
}

const countProviders = (changes: string): string => `
    perform gatewarden_add_stored(array_agg(c.account_id), 'credential ' || c.provider, array_agg(c.workspace_id), array_agg(c.n),
      array_agg(0::bigint))
    from (
      select account_id, workspace_id, provider, sum(n)::bigint as n from (${changes}) changed
      group by account_id, workspace_id, provider having sum(n) <> 0
    ) c group by c.provider;`

/** Counts credentials, which are also listed by provider. */
export const countCredentials: SqlFunction = {
  name: "gatewarden_count_credentials",
  sql: `
create or replace function gatewarden_count_credentials()
returns trigger language plpgsql as $body$${ofChanges(
    "account_id, workspace_id, provider",
    (changes) => countListed("'credential'", "workspace_id")(changes) + countProviders(changes)
  )}$body$
`
}

const counted = (kind: string, condition: string) => (changes: string) =>
  `
    perform gatewarden_add_stored(array_agg(c.account_id), '${kind}',
      array_agg('00000000-0000-0000-0000-000000000000'::uuid), array_agg(c.n), array_agg(0::bigint))
    from (
      select account_id, sum(n)::bigint as n from (${changes}) changed where ${condition} group by account_id having sum(n) <> 0
    ) c having count(*) > 0;`

/** Counts external users for their account, and those that are active, which are listed by themselves. */
export const countExternalUsers: SqlFunction = {
  name: "gatewarden_count_external_users",
  sql: `
create or replace function gatewarden_count_external_users()
returns trigger language plpgsql as $body$${ofChanges(
    "account_id, is_active",
    (changes) => counted("external_user", "true")(changes) + counted("active_external_user", "is_active")(changes)
  )}$body$
`
}

const countFile = (changes: string): string => `
    perform gatewarden_add_stored(array_agg(c.account_id), 'file', array_agg(c.workspace_id), array_agg(c.n), array_agg(c.bytes))
    from (
      select account_id, unnest(array[workspace_id, '00000000-0000-0000-0000-000000000000']) as workspace_id,
        sum(n)::bigint as n, sum(n * size_bytes)::bigint as bytes
      from (${changes}) changed where workspace_id is not null
      group by account_id, workspace_id having sum(n) <> 0 or sum(n * size_bytes) <> 0
    ) c having count(*) > 0;`

/** Counts files for their workspace and for its account, while they have one. */
export const countFiles: SqlFunction = {
  name: "gatewarden_count_files",
  sql: `
create or replace function gatewarden_count_files()
returns trigger language plpgsql as $body$${ofChanges("account_id, workspace_id, size_bytes", countFile)}$body$
`
}

/** Counts rows that are listed in their workspace. Their kind is the argument. */
export const countInWorkspace: SqlFunction = {
  name: "gatewarden_count_in_workspace",
  sql: `
create or replace function gatewarden_count_in_workspace()
returns trigger language plpgsql as $body$${ofChanges("account_id, workspace_id", countListed("tg_argv[0]", "workspace_id"))}$body$
`
}

const countKey = (changes: string): string => `
    perform gatewarden_add_keys(array_agg(account_id), array_agg(workspace_id), array_agg(disabled), array_agg(n))
    from (${changes}) changed having count(*) > 0;`

/** Counts keys for their account and workspace. */
export const countKeys: SqlFunction = {
  name: "gatewarden_count_keys",
  sql: `
create or replace function gatewarden_count_keys()
returns trigger language plpgsql as $body$${ofChanges("account_id, workspace_id, disabled", countKey)}$body$
`
}

/** Counts rows for their account alone. */
export const countOfAccount: SqlFunction = {
  name: "gatewarden_count_of_account",
  sql: `
create or replace function gatewarden_count_of_account()
returns trigger language plpgsql as $body$
declare
  sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform gatewarden_add_stored(array_agg(account_id), tg_argv[0],
    array_agg('00000000-0000-0000-0000-000000000000'::uuid), array_agg(sign * n), array_agg(0))
  from (select account_id, count(*) as n from changed where account_id is not null group by account_id) c
  having count(*) > 0;
  return null;
end
$body$
`
}

/** Counts versions of presets, which go with nothing else than their workspace. */
export const countPresetVersions: SqlFunction = {
  name: "gatewarden_count_preset_versions",
  sql: `
create or replace function gatewarden_count_preset_versions()
returns trigger language plpgsql as $body$
begin
  perform gatewarden_add_stored(array_agg(p.account_id), 'preset_version', array_agg(p.workspace_id), array_agg(1),
    array_agg(octet_length(a.config::text) + octet_length(a.system_prompt)))
  from added a join gatewarden_preset p on p.id = a.preset_id
  having count(*) > 0;
  return null;
end
$body$
`
}

const account = "'00000000-0000-0000-0000-000000000000'::uuid"

/** Counts the bytes of stored responses for their account. */
export const countRepetitions: SqlFunction = {
  name: "gatewarden_count_repetitions",
  sql: `
create or replace function gatewarden_count_repetitions()
returns trigger language plpgsql as $body$
begin
  if tg_op = 'UPDATE' then
    perform gatewarden_add_stored(array[new.account_id], 'idempotency_answer', array[${account}], array[0],
      array[coalesce(octet_length(new.sealed), 0) - coalesce(octet_length(old.sealed), 0)]);
  else
    perform gatewarden_add_stored(array_agg(account_id), 'idempotency_answer', array_agg(${account}), array_agg(0), array_agg(-bytes))
    from (
      select account_id, sum(octet_length(sealed))::bigint as bytes from removed where sealed is not null group by account_id
    ) c
    having count(*) > 0;
  end if;
  return null;
end
$body$
`
}

/** The amounts of a workspace and of a guardrail go with it. Warnings and alerts outlive their workspace. */
export const forgetWorkspaceAmounts: SqlFunction = {
  name: "gatewarden_forget_workspace_amounts",
  sql: `
create or replace function gatewarden_forget_workspace_amounts()
returns trigger language plpgsql as $body$
begin
  delete from gatewarden_stored_amount where workspace_id in (select id from removed) and kind not in ('warning', 'alert');
  return null;
end
$body$
`
}

/**
 * Whether a workspace has room for that many bytes more of presets; false without such a workspace. The workspace is locked until the
 * transaction ends: whoever comes second waits, and counts what the first has added.
 */
export const hasRoomForPreset: SqlFunction = {
  name: "gatewarden_has_room_for_preset",
  sql: `
create or replace function gatewarden_has_room_for_preset(account uuid, workspace uuid, more_bytes bigint, most_bytes bigint)
returns boolean language plpgsql as $body$
begin
  perform from gatewarden_workspace w where w.id = workspace and w.account_id = account for no key update;
  if not found then return false; end if;
  -- A statement of its own, which sees what was committed while the one before waited.
  return (
    select coalesce(sum(s.bytes), 0) + more_bytes <= most_bytes from gatewarden_stored_amount s
    where s.account_id = account and s.kind = 'preset_version' and s.workspace_id = workspace
  );
end
$body$
`
}
