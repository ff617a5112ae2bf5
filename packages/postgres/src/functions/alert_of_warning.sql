-- Records the alert of a budget warning, in the step that records the warning.
create or replace function gatewarden_alert_of_warning()
returns trigger language plpgsql
  -- A session keeps the plans that it made first, perhaps for empty tables: these look rows up by keys whatever statistics say.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
begin
  perform gatewarden_raise_alert(
    new.account_id, new.workspace_id, 'budget.' || new.kind,
    concat_ws(':', new.scope, new.guardrail_id::text, new.entity, new.interval),
    case when isfinite(new.window_start) then (extract(epoch from new.window_start) * 1000)::bigint::text else 'lifetime' end
      || ':' || new.limit_nanos::text,
    json_build_object(
      'scope', new.scope, 'entity', new.entity, 'guardrail_id', new.guardrail_id, 'interval', new.interval,
      'window_start', case when isfinite(new.window_start)
        then to_char(new.window_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end,
      'limit_usd', trim_scale(new.limit_nanos * 0.000000001)::text, 'spent_usd', trim_scale(new.spent_nanos * 0.000000001)::text,
      'held_usd', trim_scale(new.held_nanos * 0.000000001)::text
    ),
    new.created_at
  );
  return null;
end
$body$
