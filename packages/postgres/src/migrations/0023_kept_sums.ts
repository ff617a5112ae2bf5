/**
 * Kept sums: what each key, user and workspace has spent, by UTC day. Opening a budget window and reading a key's usage sum a few
 * rows of this table, however many events there are.
 *
 * Every statement that inserts events adds to the sums in the same transaction, through a trigger. A late commit therefore brings its
 * sums with it, and no watermark can skip it. Several rows of one day may exist, and readers sum them: a writer updates a row that
 * nobody has locked, and inserts one when all are locked, so that it never waits for another transaction. There are as many rows as
 * there were writers at once.
 *
 * Days before the previous month are merged into one row, dated '-infinity', when an entity's first event of another day is recorded.
 * A lifetime is therefore the sum of at most 62 days and that row.
 */
export const keptSums = {
  id: 23,
  name: "kept_sums",
  sql: `
create table gatewarden_spent (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  -- 'key', 'user' or 'workspace'; entity is the key's hash, the user's id or the workspace's id.
  spender text collate "C" not null,
  entity text collate "C" not null,
  day date not null,
  -- By the day of the charge: when the money was held, else when the event was made. Budget windows count these.
  charged_nanos numeric not null,
  charged_byok_nanos numeric not null,
  -- By the day of the event. Usage of keys counts these.
  made_nanos numeric not null,
  made_byok_nanos numeric not null
) with (fillfactor = 50);

create index gatewarden_spent_entity on gatewarden_spent (account_id, spender, entity, day);

create function gatewarden_keep_sums() returns trigger language plpgsql volatile set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  -- At a stricter isolation level a row that was updated since the snapshot cannot be updated: each statement inserts its own.
  may_update boolean := current_setting('transaction_isolation') = 'read committed';
  inserted bigint[];
begin
  with change as materialized (
    select e.account_id, s.spender, s.entity, p.day,
      sum(case when p.is_charged then e.cost_nanos else 0 end) as charged_nanos,
      sum(case when p.is_charged then e.byok_cost_nanos else 0 end) as charged_byok_nanos,
      sum(case when p.is_made then e.cost_nanos else 0 end) as made_nanos,
      sum(case when p.is_made then e.byok_cost_nanos else 0 end) as made_byok_nanos
    from (
      select a.*, (a.created_at at time zone 'UTC')::date as made_day,
        (coalesce(a.charged_at, a.created_at) at time zone 'UTC')::date as charged_day
      from added a where a.cost_nanos <> 0 or a.byok_cost_nanos <> 0
    ) e
    cross join lateral (
      values ('key', e.api_key_hash), ('user', e.user_id), ('workspace', e.workspace_id::text)
    ) as s (spender, entity)
    cross join lateral (
      select e.charged_day as day, true as is_charged, e.charged_day = e.made_day as is_made
      union all select e.made_day, false, true where e.charged_day <> e.made_day
    ) p
    where s.entity is not null
    group by e.account_id, s.spender, s.entity, p.day
  ), target as materialized (
    select c.*, free.id from change c left join lateral (
      select r.id from gatewarden_spent r
      where may_update and r.account_id = c.account_id and r.spender = c.spender and r.entity = c.entity and r.day = c.day
      order by r.day, r.id limit 1 for update skip locked
    ) free on true
  ), updated as (
    update gatewarden_spent r set charged_nanos = r.charged_nanos + t.charged_nanos,
      charged_byok_nanos = r.charged_byok_nanos + t.charged_byok_nanos,
      made_nanos = r.made_nanos + t.made_nanos, made_byok_nanos = r.made_byok_nanos + t.made_byok_nanos
    from target t where r.id = t.id
  ), kept as (
    insert into gatewarden_spent
      (account_id, spender, entity, day, charged_nanos, charged_byok_nanos, made_nanos, made_byok_nanos)
    select account_id, spender, entity, day, charged_nanos, charged_byok_nanos, made_nanos, made_byok_nanos
    from target where id is null returning id
  )
  select array_agg(id) into inserted from kept;
  if inserted is null or not may_update then
    return null;
  end if;
  with latest as materialized (
    select account_id, spender, entity, date_trunc('month', max(day)::timestamp) - interval '1 month' as kept_from
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
    (account_id, spender, entity, day, charged_nanos, charged_byok_nanos, made_nanos, made_byok_nanos)
  select account_id, spender, entity, '-infinity', sum(charged_nanos), sum(charged_byok_nanos), sum(made_nanos), sum(made_byok_nanos)
  from gone group by account_id, spender, entity;
  return null;
end
$body$;

-- Making the trigger keeps writers of events away until the migration has committed, so the sums below miss nothing.
create trigger gatewarden_keep_sums after insert on gatewarden_usage_event
referencing new table as added for each statement execute function gatewarden_keep_sums();

insert into gatewarden_spent
  (account_id, spender, entity, day, charged_nanos, charged_byok_nanos, made_nanos, made_byok_nanos)
select account_id, spender, entity,
  case when day < date_trunc('month', now() at time zone 'UTC') - interval '1 month' then '-infinity' else day end as kept_day,
  sum(case when is_charged then cost_nanos else 0 end), sum(case when is_charged then byok_cost_nanos else 0 end),
  sum(case when is_made then cost_nanos else 0 end), sum(case when is_made then byok_cost_nanos else 0 end)
from (
  select account_id, api_key_hash, user_id, workspace_id, p.day, p.is_charged, p.is_made,
    sum(cost_nanos) as cost_nanos, sum(byok_cost_nanos) as byok_cost_nanos
  from gatewarden_usage_event e
  cross join lateral (
    select (coalesce(e.charged_at, e.created_at) at time zone 'UTC')::date as charged_day,
      (e.created_at at time zone 'UTC')::date as made_day
  ) d
  cross join lateral (
    values (d.charged_day, true, d.charged_day = d.made_day), (d.made_day, false, true)
  ) as p (day, is_charged, is_made)
  where (p.is_charged or d.charged_day <> d.made_day) and (cost_nanos <> 0 or byok_cost_nanos <> 0)
  group by account_id, api_key_hash, user_id, workspace_id, p.day, p.is_charged, p.is_made
) e
cross join lateral (
  values ('key', e.api_key_hash), ('user', e.user_id), ('workspace', e.workspace_id::text)
) as s (spender, entity)
where entity is not null
group by account_id, spender, entity, kept_day;
`
} as const
