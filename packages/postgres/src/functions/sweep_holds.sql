-- Ends expired holds of an account, a number of them; answers how many. What they hold is given back, or charged to the same windows if the
-- hold was made so. Those that others settle are skipped.
create or replace function gatewarden_sweep_holds(asked_account uuid, at timestamptz, at_once int)
returns int language plpgsql
  -- A session keeps the plans that it made first, perhaps for empty tables: these look rows up by keys whatever statistics say.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  swept int;
begin
  perform gatewarden_enter_ledger(asked_account);
  with expired as materialized (
    select admission_id, nanos, full_nanos, held_at, key_hash, user_id, workspace_id, is_charged_on_expiry as is_charged
    from gatewarden_hold
    where account_id = asked_account and state = 'open' and expires_at <= at
    order by admission_id limit at_once for update skip locked
  ), freed as materialized (
    select w.id, sum(h.nanos) as nanos, sum(h.full_nanos) as full_nanos,
      coalesce(sum(h.nanos) filter (where h.is_charged), 0) as charged,
      coalesce(sum(h.full_nanos - h.nanos) filter (where h.is_charged), 0) as byok_charged
    from expired h
    cross join lateral gatewarden_spenders(h.key_hash, h.user_id, h.workspace_id::text) s
    cross join lateral gatewarden_windows_at(asked_account, s.spender, s.entity, h.held_at) w
    group by w.id
  ), locked as (
    select w.id, f.nanos, f.full_nanos, f.charged, f.byok_charged
    from freed f join gatewarden_budget_window w on w.id = f.id order by w.id for update of w
  ), updated as (
    update gatewarden_budget_window w
    set held_nanos = w.held_nanos - l.nanos, full_held_nanos = w.full_held_nanos - l.full_nanos,
      spent_nanos = w.spent_nanos + l.charged, byok_spent_nanos = w.byok_spent_nanos + l.byok_charged
    from locked l where w.id = l.id
  ), summed as (
    insert into gatewarden_spent (account_id, spender, entity, day, charged_nanos, charged_byok_nanos)
    select asked_account, d.* from expired e
    cross join lateral gatewarden_sums_of(e.key_hash, e.user_id, e.workspace_id, e.held_at, e.nanos, e.full_nanos - e.nanos) d
    where e.is_charged
  ), closed as (
    update gatewarden_hold h set state = case when e.is_charged then 'charged' else 'expired' end
    from expired e where h.admission_id = e.admission_id
  )
  select count(*) into swept from expired;
  return swept;
end
$body$
