-- Records settled events and what is delivered and kept of them; answers the ids of those that were not recorded before.
--
-- `events` are rows of the table of events. Functions are created before tables, so the type of the rows is left to the call.
create or replace function gatewarden_record_settled(asked_account uuid, events anyarray, ids text[], sent json)
returns text[] language plpgsql
  -- A session keeps the plans that it made first, perhaps for empty tables: these look rows up by keys whatever statistics say.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  added text[];
begin
  with fresh as (
    insert into gatewarden_usage_id (created_at, key)
    select e.created_at, gatewarden_usage_key(asked_account, e.id) from unnest(events) e
    where e.created_at >= (select gatewarden_usage_horizon()) order by e.id
    on conflict (key) do nothing
    returning key
  ), recorded as (
    insert into gatewarden_usage_event
    select e.* from unnest(events) e where (gatewarden_usage_key(asked_account, e.id) in (select key from fresh)) is true order by e.id
    returning id, classifiers
  ), noted as (
    insert into gatewarden_usage_classifier (account_id, classifier_id)
    select distinct asked_account, jsonb_object_keys(classifiers) from recorded where classifiers is not null order by 2
    on conflict do nothing
  )
  select coalesce(array_agg(r.id), '{}') into added from recorded r;
  -- Looked for as text first, which costs next to nothing where nothing is delivered.
  if position('"delivery_run"' in sent::text) > 0 then
    insert into gatewarden_delivery
      (account_id, workspace_id, recorded_at, event_id, following_ids, events, destinations, sealed_bodies, event_bytes)
    select r.account_id, r.workspace_id, r.recorded_at, r.ids[1], r.ids[2:], cardinality(r.ids), r.destinations::uuid[], r.sealed_bodies,
      r.event_bytes
    from (
      select e.run, array_agg(e.id order by e.place) as ids, (array_agg(e.account_id))[1] as account_id,
        (array_agg(e.workspace_id))[1] as workspace_id, (array_agg(e.recorded_at))[1] as recorded_at,
        (array_agg(e.destinations))[1] as destinations, (array_agg(e.sealed_bodies))[1] as sealed_bodies,
        sum(e.event_bytes) as event_bytes
      from (
        select asked_account as account_id, d.workspace_id, d.recorded_at, d.id, d.delivery_run as run, d.delivered_to as destinations,
          d.sealed_bodies, array_position(ids, d.id) as place,
          coalesce(octet_length(d.trace::text), 0) + coalesce(octet_length(d.classifiers::text), 0) as event_bytes
        from json_to_recordset(sent) as d (
          id text, workspace_id uuid, recorded_at timestamptz, delivery_run bigint, delivered_to text, sealed_bodies bytea,
          trace json, classifiers json
        )
        where d.id = any (added)
      ) e where e.run is not null group by e.run
    ) r order by r.run;
  end if;
  if position('"sealed_content"' in sent::text) > 0 then
    insert into gatewarden_generation_content (account_id, workspace_id, recorded_at, event_id, sealed_bodies)
    select asked_account, c.workspace_id, c.recorded_at, c.id, c.sealed_content
    from json_to_recordset(sent) as c (id text, workspace_id uuid, recorded_at timestamptz, sealed_content bytea)
    where c.sealed_content is not null and c.id = any (added) order by c.id;
  end if;
  return added;
end
$body$
