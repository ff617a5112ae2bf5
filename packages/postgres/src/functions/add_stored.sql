-- Adds to the amounts of several owners. A writer takes the rows that nobody has locked and merges them, or inserts another one, so that
-- no transaction waits for another that writes beside it. An owner that is deleted keeps no amounts: what a cascade takes with it is
-- counted after the owner's own rows are gone.
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
