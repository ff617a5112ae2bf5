/**
 * How much accounts and workspaces keep, counted as it comes and goes, so that a quota costs a few rows instead of a count.
 *
 * The rows of an account as a whole have the workspace of zeros. Rows of a workspace go with it; versions of a preset go with nothing
 * else.
 */
export const storedAmounts = {
  id: 31,
  name: "stored_amounts",
  sql: `
-- An owner's amount of a kind is the sum of its rows.
create table gatewarden_stored_amount (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  kind text collate "C" not null,
  workspace_id uuid not null,
  rows bigint not null,
  bytes bigint not null
) with (fillfactor = 50);

create index gatewarden_stored_amount_owner on gatewarden_stored_amount (account_id, kind, workspace_id);
create index gatewarden_stored_amount_workspace on gatewarden_stored_amount (workspace_id);

-- Adds to the amounts of several owners. A writer takes the rows that nobody has locked and merges them, or inserts another one, so
-- that no transaction waits for another that writes beside it.
create function gatewarden_add_stored(accounts uuid[], of_kind text, workspaces uuid[], more_rows bigint[], more_bytes bigint[])
returns void language plpgsql volatile as $body$
declare
  owner record;
begin
  for owner in
    select a.account_id, a.workspace_id, sum(a.rows)::bigint as rows, sum(a.bytes)::bigint as bytes
    from unnest(accounts, workspaces, more_rows, more_bytes) as a (account_id, workspace_id, rows, bytes)
    group by a.account_id, a.workspace_id
  loop
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
$body$;

-- Rows that count for their account alone.
create function gatewarden_count_of_account() returns trigger language plpgsql volatile as $body$
declare
  sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform gatewarden_add_stored(array_agg(account_id), tg_argv[0],
    array_agg('00000000-0000-0000-0000-000000000000'::uuid), array_agg(sign * n), array_agg(0))
  from (select account_id, count(*) as n from changed where account_id is not null group by account_id) c
  having count(*) > 0;
  return null;
end
$body$;

create trigger gatewarden_api_key_kept after insert on gatewarden_api_key referencing new table as changed
  for each statement execute function gatewarden_count_of_account('key');
create trigger gatewarden_api_key_left after delete on gatewarden_api_key referencing old table as changed
  for each statement execute function gatewarden_count_of_account('key');
create trigger gatewarden_guardrail_kept after insert on gatewarden_guardrail referencing new table as changed
  for each statement execute function gatewarden_count_of_account('guardrail');
create trigger gatewarden_guardrail_left after delete on gatewarden_guardrail referencing old table as changed
  for each statement execute function gatewarden_count_of_account('guardrail');
create trigger gatewarden_byok_credential_kept after insert on gatewarden_byok_credential referencing new table as changed
  for each statement execute function gatewarden_count_of_account('credential');
create trigger gatewarden_byok_credential_left after delete on gatewarden_byok_credential referencing old table as changed
  for each statement execute function gatewarden_count_of_account('credential');
create trigger gatewarden_workspace_kept after insert on gatewarden_workspace referencing new table as changed
  for each statement execute function gatewarden_count_of_account('workspace');
create trigger gatewarden_workspace_left after delete on gatewarden_workspace referencing old table as changed
  for each statement execute function gatewarden_count_of_account('workspace');

-- Files count for their workspace and for its account, while they have one.
create function gatewarden_count_files() returns trigger language plpgsql volatile as $body$
begin
  if tg_op = 'INSERT' then
    perform gatewarden_add_stored(array_agg(account_id), 'file', array_agg(workspace_id), array_agg(1), array_agg(size_bytes))
    from (
      select account_id, unnest(array[workspace_id, '00000000-0000-0000-0000-000000000000']) as workspace_id, size_bytes
      from added where workspace_id is not null
    ) c having count(*) > 0;
  elsif tg_op = 'DELETE' then
    perform gatewarden_add_stored(array_agg(account_id), 'file', array_agg(workspace_id), array_agg(-1), array_agg(-size_bytes))
    from (
      select account_id, unnest(array[workspace_id, '00000000-0000-0000-0000-000000000000']) as workspace_id, size_bytes
      from removed where workspace_id is not null
    ) c having count(*) > 0;
  else
    perform gatewarden_add_stored(array_agg(account_id), 'file', array_agg(workspace_id), array_agg(n::bigint), array_agg(size_bytes::bigint))
    from (
      select account_id, unnest(array[workspace_id, '00000000-0000-0000-0000-000000000000']) as workspace_id,
        sum(n) as n, sum(size_bytes) as size_bytes
      from (
        select account_id, workspace_id, 1 as n, size_bytes from added where workspace_id is not null
        union all select account_id, workspace_id, -1, -size_bytes from removed where workspace_id is not null
      ) both_sides
      group by account_id, workspace_id
      having sum(n) <> 0 or sum(size_bytes) <> 0
    ) c having count(*) > 0;
  end if;
  return null;
end
$body$;

create trigger gatewarden_file_kept after insert on gatewarden_file referencing new table as added
  for each statement execute function gatewarden_count_files();
create trigger gatewarden_file_left after delete on gatewarden_file referencing old table as removed
  for each statement execute function gatewarden_count_files();
create trigger gatewarden_file_resized after update on gatewarden_file referencing new table as added old table as removed
  for each statement execute function gatewarden_count_files();

create function gatewarden_count_preset_versions() returns trigger language plpgsql volatile as $body$
begin
  perform gatewarden_add_stored(array_agg(p.account_id), 'preset_version', array_agg(p.workspace_id), array_agg(1),
    array_agg(octet_length(a.config::text) + octet_length(a.system_prompt)))
  from added a join gatewarden_preset p on p.id = a.preset_id
  having count(*) > 0;
  return null;
end
$body$;

create trigger gatewarden_preset_version_kept after insert on gatewarden_preset_version referencing new table as added
  for each statement execute function gatewarden_count_preset_versions();

create function gatewarden_forget_workspace_amounts() returns trigger language plpgsql volatile as $body$
begin
  delete from gatewarden_stored_amount where workspace_id in (select id from removed);
  return null;
end
$body$;

create trigger gatewarden_workspace_amounts_left after delete on gatewarden_workspace referencing old table as removed
  for each statement execute function gatewarden_forget_workspace_amounts();

insert into gatewarden_stored_amount (account_id, kind, workspace_id, rows, bytes)
select account_id, kind, '00000000-0000-0000-0000-000000000000', count(*), 0
from (
  select account_id, 'key' as kind from gatewarden_api_key
  union all select account_id, 'guardrail' from gatewarden_guardrail
  union all select account_id, 'credential' from gatewarden_byok_credential
  union all select account_id, 'workspace' from gatewarden_workspace
) kept
where account_id is not null
group by account_id, kind
union all
select account_id, 'file', workspace_id, count(*), sum(size_bytes)
from (
  select account_id, unnest(array[workspace_id, '00000000-0000-0000-0000-000000000000']) as workspace_id, size_bytes
  from gatewarden_file where workspace_id is not null
) files
group by account_id, workspace_id
union all
select p.account_id, 'preset_version', p.workspace_id, count(*), sum(octet_length(v.config::text) + octet_length(v.system_prompt))
from gatewarden_preset_version v join gatewarden_preset p on p.id = v.preset_id
group by p.account_id, p.workspace_id;
`
} as const
