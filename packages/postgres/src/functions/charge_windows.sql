-- Charges windows for the events that were recorded and gives back what their holds held, or were charged when they expired. Judges the
-- budgets of each hold on the window after its event, in the order of the events.
--
-- `holds` has one row for each of `events`, null if nothing was held. The types of both are left to the call, as functions are created
-- before tables. Answers one element for each budget of a hold whose event was recorded; `overdrafts` is null for a deleted window.
create or replace function gatewarden_charge_windows(
  asked_account uuid, events anyarray, holds anycompatiblearray, added text[],
  out places int[], out budgets jsonb[], out starts timestamptz[], out spent numeric[], out overdrafts numeric[], out is_noted boolean
)
language plpgsql
  -- A session keeps the plans that it made first, perhaps for empty tables: these look rows up by keys whatever statistics say. Only
  -- what was found already is joined, by a hash.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = on set enable_mergejoin = off as $body$
begin
  with budget as materialized (
    select e.ordinality as n, b.b, b.budget, s.spender, e.charged_at as at,
      (b.budget ->> 'entity') || case
        when s.spender = 'workspace_user' then ' ' || (holds[e.ordinality::int]).workspace_id::text else '' end as entity,
      gatewarden_counted(e.cost_nanos, e.byok_cost_nanos, (b.budget ->> 'include_byok')::boolean) as charged
    from unnest(events) with ordinality as e
    cross join lateral (select l.budgets from gatewarden_budget_list l where l.id = e.budget_list_id offset 0) l
    cross join lateral jsonb_array_elements(l.budgets) with ordinality as b (budget, b)
    cross join lateral (select gatewarden_spender(b.budget ->> 'scope') as spender) s
    where e.id = any (added)
  ), amount as (
    select c.n, s.spender, s.entity, c.at, c.spent, c.byok_spent, c.held, c.full_held
    from (
      select e.ordinality, e.api_key_hash, e.user_id, e.workspace_id, coalesce(e.charged_at, e.created_at), e.cost_nanos::numeric,
        e.byok_cost_nanos::numeric, 0::numeric, 0::numeric
      from unnest(events) with ordinality as e where e.id = any (added)
      union all
      select h.ordinality, h.key_hash, h.user_id, h.workspace_id, h.held_at,
        case when h.state = 'charged' then -h.nanos else 0 end, case when h.state = 'charged' then h.nanos - h.full_nanos else 0 end,
        case when h.state = 'open' then -h.nanos else 0 end, case when h.state = 'open' then -h.full_nanos else 0 end
      from unnest(holds) with ordinality as h where h.state in ('open', 'charged')
    ) as c (n, key_hash, user_id, workspace_id, at, spent, byok_spent, held, full_held)
    cross join lateral gatewarden_spenders(c.key_hash, c.user_id, c.workspace_id::text) s
    where s.entity is not null
    union all
    select b.n, b.spender, b.entity, b.at, 0, 0, 0, 0 from budget b
  ), change as materialized (
    select a.*, w.id, w.interval
    from (
      select a.n, a.spender, a.entity, a.at, sum(a.spent) as spent, sum(a.byok_spent) as byok_spent, sum(a.held) as held,
        sum(a.full_held) as full_held
      from amount a group by a.n, a.spender, a.entity, a.at
    ) a cross join lateral gatewarden_windows_at(asked_account, a.spender, a.entity, a.at) w
  ), locked as materialized (
    select w.* from gatewarden_budget_window w where w.id = any (array(select c.id from change c)) order by w.id for update
  ), updated as (
    update gatewarden_budget_window w set spent_nanos = w.spent_nanos + c.spent, byok_spent_nanos = w.byok_spent_nanos + c.byok_spent,
      held_nanos = w.held_nanos + c.held, full_held_nanos = w.full_held_nanos + c.full_held
    from (
      select c.id, sum(c.spent) as spent, sum(c.byok_spent) as byok_spent, sum(c.held) as held, sum(c.full_held) as full_held
      from change c group by c.id
    ) c
    where w.id = c.id and w.id = any (array(select l.id from locked l))
  ), after as (
    -- Of a budget: what its window has spent before the events, and by each event up to its own.
    select u.n, u.b, u.budget, u.charged, max(u.start) over same as start,
      gatewarden_counted(sum(u.spent) over same, sum(u.byok_spent) over same, (u.budget ->> 'include_byok')::boolean) as spent
    from (
      select l.id, 0 as n, null::bigint as b, null::jsonb as budget, null::numeric as charged, l.window_start as start,
        l.spent_nanos as spent, l.byok_spent_nanos as byok_spent from locked l
      union all
      select c.id, c.n, null, null, null, null, c.spent, c.byok_spent from change c
      union all
      select c.id, b.n, b.b, b.budget, b.charged, null, 0, 0 from budget b
      left join change c on c.n = b.n and c.spender = b.spender and c.entity = b.entity and c.interval = b.budget ->> 'interval'
    ) u window same as (partition by u.id order by u.n)
  ), judged as (
    select a.*, case
      when a.start is not null then gatewarden_overdraft((a.budget ->> 'limit_nanos')::numeric, a.spent, a.charged) end as overdraft
    from after a where a.b is not null
  )
  select array_agg(j.n::int order by j.n, j.b), array_agg(j.budget order by j.n, j.b), array_agg(j.start order by j.n, j.b),
    array_agg(j.spent order by j.n, j.b), array_agg(j.overdraft order by j.n, j.b),
    bool_or(j.overdraft is distinct from 0 or gatewarden_due((j.budget ->> 'limit_nanos')::numeric, j.spent) <> '{}')
  into places, budgets, starts, spent, overdrafts, is_noted
  from judged j;
end
$body$
