-- What is answered to each settlement: the list of budgets that was charged, the instant of the hold, amounts if the event was recorded
-- before, and what went over each budget's limit if anything did; null if nothing was held.
--
-- `holds` has one row for each id; its type is left to the call. A hold whose id was recorded otherwise charges nothing.
create or replace function gatewarden_settled_outcomes(
  asked_account uuid, ids text[], holds anyarray, added text[], event_overdrafts json[]
)
returns json language plpgsql
  -- A session keeps the plans that it made first, perhaps for empty tables: these look rows up by keys whatever statistics say.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  others text[] := array(select i.id from unnest(ids) as i (id) where i.id <> all (added));
begin
  return (
    with recorded as materialized (
      select e.id, e.budget_list_id, e.charged_at, e.cost_nanos, e.byok_cost_nanos, e.overdrafts
      from gatewarden_usage_events(asked_account, others, null::gatewarden_usage_event) e where e.budget_list_id is not null
    ), settled as materialized (
      select h.admission_id, h.settlement from gatewarden_hold h
      where h.admission_id = any (others) and (h.account_id = asked_account) is true and h.state = 'settled'
    )
    select json_agg(case
      when s.admission_id is not null then json_build_object('settlement', s.settlement)
      when e.id = any (added) and (holds[e.n]).admission_id is not null then json_build_object(
        'list', (holds[e.n]).budget_list_id::text, 'at', gatewarden_epoch((holds[e.n]).held_at), 'overdrafts', event_overdrafts[e.n])
      when r.id is not null and (holds[e.n]).admission_id is null then json_build_object(
        'list', r.budget_list_id::text, 'at', gatewarden_epoch(r.charged_at), 'overdrafts', r.overdrafts::text[],
        'cost', r.cost_nanos::text, 'byok_cost', r.byok_cost_nanos::text)
    end order by e.n)
    from unnest(ids) with ordinality as e (id, n)
    left join recorded r on r.id = e.id
    left join settled s on s.admission_id = e.id
  );
end
$body$
