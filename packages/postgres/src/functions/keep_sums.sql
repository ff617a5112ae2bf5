-- Adds recorded events to the sums of their day, and merges days that are long past.
create or replace function gatewarden_keep_sums()
returns trigger language plpgsql
  -- A session keeps the plans that it made first, perhaps for empty tables: these look rows up by keys whatever statistics say.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  -- At a stricter isolation level a row that was updated since the snapshot cannot be updated: each statement inserts its own.
  may_update boolean := current_setting('transaction_isolation') = 'read committed';
  inserted bigint[];
begin
  with change as materialized (
    select e.account_id, s.spender, s.entity, (coalesce(e.charged_at, e.created_at) at time zone 'UTC')::date as day,
      sum(e.cost_nanos) as charged_nanos, sum(e.byok_cost_nanos) as charged_byok_nanos
    from added e
    cross join lateral gatewarden_spenders(e.api_key_hash, e.user_id, e.workspace_id::text) s
    where s.entity is not null and (e.cost_nanos <> 0 or e.byok_cost_nanos <> 0)
    group by e.account_id, s.spender, s.entity, 4
  ), target as materialized (
    select c.*, free.id from change c left join lateral (
      select r.id from gatewarden_spent r
      where may_update and r.account_id = c.account_id and r.spender = c.spender and r.entity = c.entity and r.day = c.day
      order by r.day, r.id limit 1 for update skip locked
    ) free on true
  ), updated as (
    update gatewarden_spent r set charged_nanos = r.charged_nanos + t.charged_nanos,
      charged_byok_nanos = r.charged_byok_nanos + t.charged_byok_nanos
    from target t where r.id = t.id
  ), kept as (
    insert into gatewarden_spent
      (account_id, spender, entity, day, charged_nanos, charged_byok_nanos)
    select account_id, spender, entity, day, charged_nanos, charged_byok_nanos
    from target where id is null returning id
  )
  select array_agg(id) into inserted from kept;
  if inserted is null or not may_update then
    return null;
  end if;
  with latest as materialized (
    select account_id, spender, entity, least(
      date_trunc('day', date_trunc('day', max(day)::timestamp) - interval '1 day'),
      date_trunc('week', date_trunc('week', max(day)::timestamp) - interval '1 day'),
      date_trunc('month', date_trunc('month', max(day)::timestamp) - interval '1 day')) as kept_from
    from gatewarden_spent where id = any (inserted) group by account_id, spender, entity
  ), merged as materialized (
    select past.id from latest l cross join lateral (
      select r.id from gatewarden_spent r
      where r.account_id = l.account_id and r.spender = l.spender and r.entity = l.entity and r.day < l.kept_from
        and exists (
          select from gatewarden_spent f where f.account_id = l.account_id and f.spender = l.spender and f.entity = l.entity
            and f.day > '-infinity' and f.day < l.kept_from
        )
      order by r.day for update skip locked
    ) past
  ), gone as (
    delete from gatewarden_spent r using merged m where r.id = m.id returning r.*
  )
  insert into gatewarden_spent
    (account_id, spender, entity, day, charged_nanos, charged_byok_nanos)
  select account_id, spender, entity, '-infinity', sum(charged_nanos), sum(charged_byok_nanos)
  from gone group by account_id, spender, entity;
  return null;
end
$body$
