/**
 * Keeps the count of every list, so that a page costs the same however long its list is: `total_count` is read, and a page of the second
 * half is found from the end.
 *
 * The counts are rows of `gatewarden_stored_amount`, one kind for each list, for the account and for the owner of the list: the workspace,
 * or the guardrail of assignments, whose id stands in `workspace_id`. Credentials of one provider are a kind of their own,
 * `credential <provider>`, and so are keys that are not disabled, `enabled_key`.
 */
export const listCounts = {
  id: 36,
  name: "list_counts",
  sql: `
-- Adds to the amounts of several owners. A writer takes the rows that nobody has locked and merges them, or inserts another one, so
-- that no transaction waits for another that writes beside it. An owner that is deleted keeps no amounts: what a cascade takes
-- with it is counted after the owner's own rows are gone.
create or replace function gatewarden_add_stored(accounts uuid[], of_kind text, workspaces uuid[], more_rows bigint[], more_bytes bigint[])
returns void language plpgsql volatile as $body$
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
$body$;

-- Adds rows of several owners to their owners and to the accounts of these.
create function gatewarden_add_listed(of_kind text, accounts uuid[], owners uuid[], more bigint[])
returns void language sql volatile as $body$
  select gatewarden_add_stored(array_agg(c.account_id), of_kind, array_agg(c.owner_id), array_agg(c.n), array_agg(0::bigint))
  from (
    select a.account_id, unnest(array[a.owner_id, '00000000-0000-0000-0000-000000000000']) as owner_id, a.n
    from unnest(accounts, owners, more) as a (account_id, owner_id, n)
  ) c having count(*) > 0
$body$;

-- Rows that are listed in their workspace.
create function gatewarden_count_in_workspace() returns trigger language plpgsql volatile as $body$
begin
  if tg_op = 'INSERT' then
    perform gatewarden_add_listed(tg_argv[0], array_agg(c.account_id), array_agg(c.workspace_id), array_agg(c.n))
    from (select account_id, workspace_id, count(*) as n from added group by account_id, workspace_id) c having count(*) > 0;
  else
    perform gatewarden_add_listed(tg_argv[0], array_agg(c.account_id), array_agg(c.workspace_id), array_agg(-c.n))
    from (select account_id, workspace_id, count(*) as n from removed group by account_id, workspace_id) c having count(*) > 0;
  end if;
  return null;
end
$body$;

-- Credentials are also listed by provider.
create function gatewarden_count_credentials() returns trigger language plpgsql volatile as $body$
begin
  if tg_op = 'INSERT' then
    perform gatewarden_add_listed('credential', array_agg(c.account_id), array_agg(c.workspace_id), array_agg(c.n))
    from (select account_id, workspace_id, count(*) as n from added group by account_id, workspace_id) c having count(*) > 0;
    perform gatewarden_add_stored(array_agg(c.account_id), 'credential ' || c.provider, array_agg(c.workspace_id), array_agg(c.n),
      array_agg(0::bigint))
    from (select account_id, workspace_id, provider, count(*) as n from added group by account_id, workspace_id, provider) c
    group by c.provider;
  else
    perform gatewarden_add_listed('credential', array_agg(c.account_id), array_agg(c.workspace_id), array_agg(-c.n))
    from (select account_id, workspace_id, count(*) as n from removed group by account_id, workspace_id) c having count(*) > 0;
    perform gatewarden_add_stored(array_agg(c.account_id), 'credential ' || c.provider, array_agg(c.workspace_id), array_agg(-c.n),
      array_agg(0::bigint))
    from (select account_id, workspace_id, provider, count(*) as n from removed group by account_id, workspace_id, provider) c
    group by c.provider;
  end if;
  return null;
end
$body$;

-- Keys are counted for their account and, where they have one, for their workspace, in which those that are not disabled are also
-- listed apart.
create function gatewarden_add_keys(accounts uuid[], workspaces uuid[], are_disabled boolean[], more bigint[])
returns void language sql volatile as $body$
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
$body$;

create function gatewarden_count_keys() returns trigger language plpgsql volatile as $body$
begin
  if tg_op = 'INSERT' then
    perform gatewarden_add_keys(array_agg(account_id), array_agg(workspace_id), array_agg(disabled), array_agg(1::bigint))
    from added having count(*) > 0;
  elsif tg_op = 'DELETE' then
    perform gatewarden_add_keys(array_agg(account_id), array_agg(workspace_id), array_agg(disabled), array_agg(-1::bigint))
    from removed having count(*) > 0;
  else
    perform gatewarden_add_keys(array_agg(account_id), array_agg(workspace_id), array_agg(disabled), array_agg(n))
    from (
      select account_id, workspace_id, disabled, 1::bigint as n from added
      union all select account_id, workspace_id, disabled, -1::bigint from removed
    ) both_sides having count(*) > 0;
  end if;
  return null;
end
$body$;

-- Assignments are listed in their guardrail, and may move from one to another.
create function gatewarden_count_assignments() returns trigger language plpgsql volatile as $body$
begin
  if tg_op = 'INSERT' then
    perform gatewarden_add_listed(tg_argv[0], array_agg(c.account_id), array_agg(c.guardrail_id), array_agg(c.n))
    from (select account_id, guardrail_id, count(*) as n from added group by account_id, guardrail_id) c having count(*) > 0;
  elsif tg_op = 'DELETE' then
    perform gatewarden_add_listed(tg_argv[0], array_agg(c.account_id), array_agg(c.guardrail_id), array_agg(-c.n))
    from (select account_id, guardrail_id, count(*) as n from removed group by account_id, guardrail_id) c having count(*) > 0;
  else
    perform gatewarden_add_listed(tg_argv[0], array_agg(c.account_id), array_agg(c.guardrail_id), array_agg(c.n))
    from (
      select account_id, guardrail_id, sum(n)::bigint as n
      from (
        select account_id, guardrail_id, 1 as n from added union all select account_id, guardrail_id, -1 from removed
      ) both_sides group by account_id, guardrail_id having sum(n) <> 0
    ) c having count(*) > 0;
  end if;
  return null;
end
$body$;

drop trigger gatewarden_api_key_kept on gatewarden_api_key;
drop trigger gatewarden_api_key_left on gatewarden_api_key;
drop trigger gatewarden_guardrail_kept on gatewarden_guardrail;
drop trigger gatewarden_guardrail_left on gatewarden_guardrail;
drop trigger gatewarden_byok_credential_kept on gatewarden_byok_credential;
drop trigger gatewarden_byok_credential_left on gatewarden_byok_credential;

create trigger gatewarden_api_key_kept after insert on gatewarden_api_key referencing new table as added
  for each statement execute function gatewarden_count_keys();
create trigger gatewarden_api_key_moved after update on gatewarden_api_key referencing new table as added old table as removed
  for each statement execute function gatewarden_count_keys();
create trigger gatewarden_api_key_left after delete on gatewarden_api_key referencing old table as removed
  for each statement execute function gatewarden_count_keys();
create trigger gatewarden_guardrail_kept after insert on gatewarden_guardrail referencing new table as added
  for each statement execute function gatewarden_count_in_workspace('guardrail');
create trigger gatewarden_guardrail_left after delete on gatewarden_guardrail referencing old table as removed
  for each statement execute function gatewarden_count_in_workspace('guardrail');
create trigger gatewarden_byok_credential_kept after insert on gatewarden_byok_credential referencing new table as added
  for each statement execute function gatewarden_count_credentials();
create trigger gatewarden_byok_credential_left after delete on gatewarden_byok_credential referencing old table as removed
  for each statement execute function gatewarden_count_credentials();
create trigger gatewarden_workspace_member_kept after insert on gatewarden_workspace_member referencing new table as added
  for each statement execute function gatewarden_count_in_workspace('member');
create trigger gatewarden_workspace_member_left after delete on gatewarden_workspace_member referencing old table as removed
  for each statement execute function gatewarden_count_in_workspace('member');
create trigger gatewarden_destination_kept after insert on gatewarden_destination referencing new table as added
  for each statement execute function gatewarden_count_in_workspace('destination');
create trigger gatewarden_destination_left after delete on gatewarden_destination referencing old table as removed
  for each statement execute function gatewarden_count_in_workspace('destination');
create trigger gatewarden_budget_warning_kept after insert on gatewarden_budget_warning referencing new table as added
  for each statement execute function gatewarden_count_in_workspace('warning');
create trigger gatewarden_budget_warning_left after delete on gatewarden_budget_warning referencing old table as removed
  for each statement execute function gatewarden_count_in_workspace('warning');
create trigger gatewarden_guardrail_key_kept after insert on gatewarden_guardrail_key referencing new table as added
  for each statement execute function gatewarden_count_assignments('key_assignment');
create trigger gatewarden_guardrail_key_moved after update on gatewarden_guardrail_key referencing new table as added old table as removed
  for each statement execute function gatewarden_count_assignments('key_assignment');
create trigger gatewarden_guardrail_key_left after delete on gatewarden_guardrail_key referencing old table as removed
  for each statement execute function gatewarden_count_assignments('key_assignment');
create trigger gatewarden_guardrail_member_kept after insert on gatewarden_guardrail_member referencing new table as added
  for each statement execute function gatewarden_count_assignments('member_assignment');
create trigger gatewarden_guardrail_member_moved after update on gatewarden_guardrail_member
  referencing new table as added old table as removed
  for each statement execute function gatewarden_count_assignments('member_assignment');
create trigger gatewarden_guardrail_member_left after delete on gatewarden_guardrail_member referencing old table as removed
  for each statement execute function gatewarden_count_assignments('member_assignment');

-- The amounts of a workspace and of a guardrail go with it. Warnings outlive their workspace.
create or replace function gatewarden_forget_workspace_amounts() returns trigger language plpgsql volatile as $body$
begin
  delete from gatewarden_stored_amount where workspace_id in (select id from removed) and kind <> 'warning';
  return null;
end
$body$;

create trigger gatewarden_guardrail_amounts_left after delete on gatewarden_guardrail referencing old table as removed
  for each statement execute function gatewarden_forget_workspace_amounts();

delete from gatewarden_stored_amount where kind in ('guardrail', 'credential');
-- What files took with their workspaces was counted after the workspaces were gone.
delete from gatewarden_stored_amount s where s.workspace_id <> '00000000-0000-0000-0000-000000000000'
  and not exists (select from gatewarden_workspace w where w.id = s.workspace_id);

insert into gatewarden_stored_amount (account_id, kind, workspace_id, rows, bytes)
select l.account_id, l.kind, o.owner_id, count(*), 0
from (
  select account_id, workspace_id as owner_id, 'guardrail' as kind from gatewarden_guardrail
  union all select account_id, workspace_id, 'credential' from gatewarden_byok_credential
  union all select account_id, workspace_id, 'member' from gatewarden_workspace_member
  union all select account_id, workspace_id, 'destination' from gatewarden_destination
  union all select account_id, workspace_id, 'warning' from gatewarden_budget_warning
  union all select account_id, guardrail_id, 'key_assignment' from gatewarden_guardrail_key
  union all select account_id, guardrail_id, 'member_assignment' from gatewarden_guardrail_member
) l cross join lateral (values (l.owner_id), ('00000000-0000-0000-0000-000000000000'::uuid)) as o (owner_id)
group by l.account_id, l.kind, o.owner_id
union all
select account_id, 'credential ' || provider, workspace_id, count(*), 0 from gatewarden_byok_credential
group by account_id, workspace_id, provider
union all
select account_id, 'key', workspace_id, count(*), 0 from gatewarden_api_key where workspace_id is not null group by account_id, workspace_id
union all
select account_id, 'enabled_key', workspace_id, count(*), 0 from gatewarden_api_key where workspace_id is not null and not disabled
group by account_id, workspace_id;
`
} as const
