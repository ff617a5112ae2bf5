-- The ids of requests that hold already, or that were settled after they had held.
create or replace function gatewarden_used_ids(asked_account uuid, requests json)
returns text[] language plpgsql
  -- A session keeps the plans that it made first, perhaps for empty tables: these look rows up by keys whatever statistics say.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  ids text[] := array(select r.id from json_to_recordset(requests) as r (id text));
begin
  return array(
    select h.admission_id from gatewarden_hold h where h.admission_id = any (ids)
    union all
    select e.id from gatewarden_usage_events(asked_account, ids, null::gatewarden_usage_event) e where e.charged_at is not null
  );
end
$body$
