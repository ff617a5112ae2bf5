-- The windows of spenders that contain an instant, by id, each with its slot: intervals stand together, one slot for each spender.
create or replace function gatewarden_slots_at(asked_account uuid, spenders text[], entities text[], at timestamptz)
returns table (ids bigint[], slots int[]) language sql stable as $body$
  select coalesce(array_agg(w.id order by w.id), '{}'), coalesce(array_agg(
    ((gatewarden_interval_place(w.interval) - 1) * cardinality(spenders) + e.n)::int order by w.id), '{}')
  from unnest(spenders, entities) with ordinality as e (spender, entity, n)
  cross join lateral gatewarden_windows_at(asked_account, e.spender, e.entity, at) w
$body$
