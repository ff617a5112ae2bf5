-- Gives back what an admission holds, or what was charged for it when it expired. One that has neither any more is left as it is.
create or replace function gatewarden_release_hold(asked_account uuid, asked_admission text)
returns void language plpgsql
  -- A session keeps the plans that it made first, perhaps for empty tables: these look rows up by keys whatever statistics say.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
begin
  perform gatewarden_enter_ledger(asked_account);
  with found as materialized (
    select nanos, full_nanos, held_at, key_hash, user_id, workspace_id, state = 'charged' as is_charged from gatewarden_hold
    where admission_id = asked_admission and (account_id = asked_account) is true and state in ('open', 'charged') for update
  ), closed as (
    update gatewarden_hold set state = 'released' where admission_id = asked_admission and exists (select from found)
  ), freed as materialized (
    select w.id, h.nanos, h.full_nanos, h.is_charged from found h
    cross join lateral gatewarden_spenders(h.key_hash, h.user_id, h.workspace_id::text) s
    cross join lateral gatewarden_windows_at(asked_account, s.spender, s.entity, h.held_at) w
  ), locked as (
    select w.id, f.nanos, f.full_nanos, f.is_charged
    from freed f join gatewarden_budget_window w on w.id = f.id order by w.id for update of w
  ), summed as (
    insert into gatewarden_spent (account_id, spender, entity, day, charged_nanos, charged_byok_nanos)
    select asked_account, d.* from found h
    cross join lateral gatewarden_sums_of(h.key_hash, h.user_id, h.workspace_id, h.held_at, -h.nanos, h.nanos - h.full_nanos) d
    where h.is_charged
  )
  update gatewarden_budget_window w
  set held_nanos = w.held_nanos - case when l.is_charged then 0 else l.nanos end,
    full_held_nanos = w.full_held_nanos - case when l.is_charged then 0 else l.full_nanos end,
    spent_nanos = w.spent_nanos - case when l.is_charged then l.nanos else 0 end,
    byok_spent_nanos = w.byok_spent_nanos - case when l.is_charged then l.full_nanos - l.nanos else 0 end
  from locked l where w.id = l.id;
end
$body$
