-- Seals up to most changes, oldest first, of one account or of all. One at a time: another caller waits, and finds them sealed.
--
-- Every transaction before the horizon has ended, so changes before it that are visible are all there will be: once all are sealed, the
-- next call begins there. Rows that a copy of another database brought bear its transactions: they are given this one, and a horizon of
-- that database is forgotten before this one's transactions reach it.
--
-- A chain whose end was taken back or removed goes on behind its last seal and leaves a position out, which stays missing for whoever
-- verifies.
--
-- A transaction whose snapshot is older than the lock, or that may not write, seals nothing: whoever reads the log in it would fail.
--
-- Writers share the processor with it: one statement seals all, reads the end of each chain once and writes it once. It knows what
-- Gatewarden writes about who acted; where a text is anything else, the batch is read once more, text by text.
create or replace function gatewarden_seal_changes(of_owner uuid, most integer) returns integer language plpgsql
  -- A session keeps the plans that it made first, perhaps for empty tables: these look rows up by keys whatever statistics say.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  horizon xid8;
  begun xid8;
  newest xid8;
  sealed integer;
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
  begin
    with due as materialized (
      select owner, xact, seq, at, actor_type, actor_id, operation, request_id, encode(sha256(convert_to(json_build_array(
    c.seq, c.account_id, c.noun, c.action, c.id, c.workspace_id,
    c.actor_type, c.actor_id, c.operation, c.request_id, c.acting,
    (extract(epoch from c.at) * 1000000)::bigint, extract(epoch from c.created_at),
    octet_length(c.before::text), octet_length(c.after::text)
  )::text || coalesce(c.before::text, '') || coalesce(c.after::text, ''), 'UTF8')), 'hex') as digest
      from (
    select c.*, coalesce(said -> 'actor' ->> 'type', 'database') as actor_type, said -> 'actor' ->> 'id' as actor_id,
      said ->> 'operation' as operation, said ->> 'request_id' as request_id, coalesce((said ->> 'at')::timestamptz, created_at) as at
    from (select c.*, nullif(c.acting, '')::jsonb as said from (
      select *,
        coalesce(c.account_id, (select id from gatewarden_account where name = 'default'), '00000000-0000-0000-0000-000000000000') as owner
      from gatewarden_changes c
      where xact >= coalesce(begun, '0') and (of_owner is null
          or coalesce(c.account_id, (select id from gatewarden_account where name = 'default'),
            '00000000-0000-0000-0000-000000000000') = of_owner)
        and not exists (select from gatewarden_audit_seal s where s.xact = c.xact and s.seq = c.seq)
      order by xact, seq limit most
    -- offset 0, twice: each text is read as JSON once, and not again for each of its facts.
    ) c offset 0) c offset 0
  ) c
    ), chains as (
      select owner, array_agg(xact order by xact, seq) as xacts, array_agg(seq order by xact, seq) as seqs,
        array_agg(at order by xact, seq) as ats, array_agg(actor_type order by xact, seq) as actor_types,
        array_agg(actor_id order by xact, seq) as actor_ids, array_agg(operation order by xact, seq) as operations,
        array_agg(request_id order by xact, seq) as request_ids, array_agg(digest order by xact, seq) as digests
      from due group by owner
    ), ends as (
      select c.*, coalesce(behind.position + 1, a.position, 0) as position, coalesce(behind.hash, a.hash, '') as hash
      from chains c left join gatewarden_audit_chain a on a.owner = c.owner
      left join lateral (
        select s.position, s.hash from gatewarden_audit_seal s
        where s.owner = c.owner and s.position > coalesce(a.position, 0) order by s.position desc limit 1
      ) behind on true
    ), seals as (
      insert into gatewarden_audit_seal (owner, position, xact, seq, at, actor_type, actor_id, operation, request_id, hash)
      select e.owner, e.position + s.nth, s.xact, s.seq, s.at, s.actor_type, s.actor_id, s.operation, s.request_id, s.hash
      from ends e cross join lateral unnest(
        e.xacts, e.seqs, e.ats, e.actor_types, e.actor_ids, e.operations, e.request_ids,
        gatewarden_chain_hashes(e.hash, e.position, e.digests)
      ) with ordinality s (xact, seq, at, actor_type, actor_id, operation, request_id, hash, nth)
      returning owner, position, xact, hash
    ), ended as (
      insert into gatewarden_audit_chain (owner, position, hash)
      select distinct on (owner) owner, position, hash from seals order by owner, position desc
      on conflict (owner) do update set position = excluded.position, hash = excluded.hash, is_signed = false
    )
    select count(*), (select xact from seals order by xact desc limit 1) into sealed, newest from seals;
  exception when data_exception then
    with due as materialized (
      select owner, xact, seq, at, actor_type, actor_id, operation, request_id, encode(sha256(convert_to(json_build_array(
    c.seq, c.account_id, c.noun, c.action, c.id, c.workspace_id,
    c.actor_type, c.actor_id, c.operation, c.request_id, c.acting,
    (extract(epoch from c.at) * 1000000)::bigint, extract(epoch from c.created_at),
    octet_length(c.before::text), octet_length(c.after::text)
  )::text || coalesce(c.before::text, '') || coalesce(c.after::text, ''), 'UTF8')), 'hex') as digest
      from (
    select c.*, facts.* from (
      select *,
        coalesce(c.account_id, (select id from gatewarden_account where name = 'default'), '00000000-0000-0000-0000-000000000000') as owner
      from gatewarden_changes c
      where xact >= coalesce(begun, '0') and (of_owner is null
          or coalesce(c.account_id, (select id from gatewarden_account where name = 'default'),
            '00000000-0000-0000-0000-000000000000') = of_owner)
        and not exists (select from gatewarden_audit_seal s where s.xact = c.xact and s.seq = c.seq)
      order by xact, seq limit most
    ) c cross join lateral gatewarden_acting_facts(c.acting, c.created_at) facts
  ) c
    ), chains as (
      select owner, array_agg(xact order by xact, seq) as xacts, array_agg(seq order by xact, seq) as seqs,
        array_agg(at order by xact, seq) as ats, array_agg(actor_type order by xact, seq) as actor_types,
        array_agg(actor_id order by xact, seq) as actor_ids, array_agg(operation order by xact, seq) as operations,
        array_agg(request_id order by xact, seq) as request_ids, array_agg(digest order by xact, seq) as digests
      from due group by owner
    ), ends as (
      select c.*, coalesce(behind.position + 1, a.position, 0) as position, coalesce(behind.hash, a.hash, '') as hash
      from chains c left join gatewarden_audit_chain a on a.owner = c.owner
      left join lateral (
        select s.position, s.hash from gatewarden_audit_seal s
        where s.owner = c.owner and s.position > coalesce(a.position, 0) order by s.position desc limit 1
      ) behind on true
    ), seals as (
      insert into gatewarden_audit_seal (owner, position, xact, seq, at, actor_type, actor_id, operation, request_id, hash)
      select e.owner, e.position + s.nth, s.xact, s.seq, s.at, s.actor_type, s.actor_id, s.operation, s.request_id, s.hash
      from ends e cross join lateral unnest(
        e.xacts, e.seqs, e.ats, e.actor_types, e.actor_ids, e.operations, e.request_ids,
        gatewarden_chain_hashes(e.hash, e.position, e.digests)
      ) with ordinality s (xact, seq, at, actor_type, actor_id, operation, request_id, hash, nth)
      returning owner, position, xact, hash
    ), ended as (
      insert into gatewarden_audit_chain (owner, position, hash)
      select distinct on (owner) owner, position, hash from seals order by owner, position desc
      on conflict (owner) do update set position = excluded.position, hash = excluded.hash, is_signed = false
    )
    select count(*), (select xact from seals order by xact desc limit 1) into sealed, newest from seals;
  end;
  if of_owner is null and exists (
    select from gatewarden_changes where xact >= coalesce(begun, '0') and (begun is null or xact < horizon)
  ) then
    if sealed = most then
      horizon := least(horizon, newest);
    end if;
    insert into gatewarden_audit_horizon (sealed_before) values (horizon)
      on conflict (one) do update set sealed_before = excluded.sealed_before;
  end if;
  return sealed;
end
$body$
