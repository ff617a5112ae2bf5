/**
 * Seals up to most changes, oldest first, of one account or of all. One at a time: another caller waits, and finds them sealed.
 *
 * Every transaction before the horizon has ended, so changes before it that are visible are all there will be: once all are sealed, the
 * next call begins there. Rows that a copy of another database brought bear its transactions: they are given this one, and a horizon of
 * that database is forgotten before this one's transactions reach it.
 *
 * A chain whose end was taken back or removed goes on behind its last seal and leaves a position out, which stays missing for whoever verifies.
 *
 * A transaction whose snapshot is older than the lock, or that may not write, seals nothing: whoever reads the log in it would fail.
 *
 * Writers share the processor with it: it reads the end of each chain once and writes it once, and all seals in one statement.
 */
import { byKeys, type SqlFunction } from "../../migrations/SqlFunction.ts"
import { hashSql } from "./chainHash.ts"
import { ownerSql } from "./ownerSql.ts"

export const sealChanges: SqlFunction = {
  name: "gatewarden_seal_changes",
  sql: `
create or replace function gatewarden_seal_changes(of_owner uuid, most integer) returns integer language plpgsql ${byKeys} as $body$
declare
  horizon xid8;
  begun xid8;
  change record;
  last gatewarden_audit_chain;
  seals gatewarden_audit_seal[] := '{}';
  newest xid8 := '0';
  sealed integer := 0;
begin
  if current_setting('transaction_isolation') <> 'read committed' or current_setting('transaction_read_only')::boolean then
    return 0;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('gatewarden_changes seal', 0));
  horizon := pg_snapshot_xmin(pg_current_snapshot());
  delete from gatewarden_audit_horizon where sealed_before > pg_snapshot_xmax(pg_current_snapshot());
  select sealed_before into begun from gatewarden_audit_horizon;
  with foreign_rows as (
    select xact, seq from gatewarden_changes
    where xact >= pg_snapshot_xmax(pg_current_snapshot()) and xact is distinct from pg_current_xact_id_if_assigned()
  ), renumbered as (
    update gatewarden_changes c set xact = pg_current_xact_id() from foreign_rows f where (c.xact, c.seq) = (f.xact, f.seq)
  )
  update gatewarden_audit_seal s set xact = pg_current_xact_id() from foreign_rows f where (s.xact, s.seq) = (f.xact, f.seq);
  for change in
    select c.*, said.* from (
      select *, ${ownerSql("c")} as owner from gatewarden_changes c
      where xact >= coalesce(begun, '0') and (of_owner is null or ${ownerSql("c")} = of_owner)
        and not exists (select from gatewarden_audit_seal s where s.xact = c.xact and s.seq = c.seq)
      order by xact, seq limit most
    ) c cross join lateral gatewarden_acting_facts(c.acting, c.created_at) said
    order by c.owner, c.xact, c.seq
  loop
    if last.owner is distinct from change.owner then
      select change.owner, coalesce(behind.position + 1, a.position, 0), coalesce(behind.hash, a.hash, '')
        into last.owner, last.position, last.hash
        from (select) one left join gatewarden_audit_chain a on a.owner = change.owner
        left join lateral (
          select s.position, s.hash from gatewarden_audit_seal s
          where s.owner = change.owner and s.position > coalesce(a.position, 0) order by s.position desc limit 1
        ) behind on true;
    end if;
    last.position := last.position + 1;
    last.hash := ${hashSql("last.hash", "last.position", "change", "change")};
    seals := array_append(seals, row(
      last.owner, last.position, change.xact, change.seq, change.at, change.actor_type, change.actor_id, change.operation,
      change.request_id, last.hash
    )::gatewarden_audit_seal);
    newest := greatest(newest, change.xact);
    sealed := sealed + 1;
  end loop;
  insert into gatewarden_audit_seal select * from unnest(seals);
  insert into gatewarden_audit_chain (owner, position, hash)
    select distinct on (owner) owner, position, hash from unnest(seals) order by owner, position desc
    on conflict (owner) do update set position = excluded.position, hash = excluded.hash;
  if of_owner is null and (sealed > 0 or begun is null and exists (select from gatewarden_changes)) then
    if sealed = most then
      horizon := least(horizon, newest);
    end if;
    insert into gatewarden_audit_horizon (sealed_before) values (horizon)
      on conflict (one) do update set sealed_before = excluded.sealed_before;
  end if;
  return sealed;
end
$body$
`
}
