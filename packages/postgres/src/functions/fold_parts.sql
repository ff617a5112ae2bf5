-- The part of a statement that sums the events of `batch`, which has the columns of gatewarden_usage_event: expressions of a WITH clause, with
-- a comma before each. Each event is added to the coarse cells of its hour and its day and to what percentiles are read of, and opens its day:
-- the finer cells of that day no longer count.
create or replace function gatewarden_fold_parts()
returns text language sql immutable as $text$
  select $parts$, timed as (
    select batch.*, date_bin('1 hour', created_at, 'epoch') as hour, date_bin('1 day', created_at, '1970-01-01T00:00:00Z') as day,
      case when status = 'ok' then latency_ms end as latency, case when status = 'ok' then throughput end as speed
    from batch
  ), days as (
    insert into gatewarden_usage_day as d (account_id, day, changed_at)
    select account_id, (day at time zone 'UTC')::date, max(recorded_at) from timed group by 1, 2 order by 1, 2
    on conflict (account_id, day) do update set changed_at = greatest(d.changed_at, excluded.changed_at), kept = null
  )$parts$
  || gatewarden_cell_parts('timed', true, null)
  || $parts$, spreads as (
    insert into gatewarden_usage_spread as s (
      account_id, workspace_id, bucket, is_day, rollup, model, variant, provider, endpoint_tag,
      latency_ms_count, latency_ms_values, latency_ms_sketch, throughput_count, throughput_values, throughput_sketch
    )
    select account_id, workspace_id, coalesce(hour, day), grouping(hour) = 1,
      72 - grouping(model) * 64 - grouping(provider) * 8, model, variant, provider, endpoint_tag,
      count(latency), case when count(latency) <= 1000 then array_agg(latency) filter (where latency is not null) end,
      case when count(latency) > 100 then gatewarden_sketch(array_agg(latency) filter (where latency is not null)) end,
      count(speed), case when count(speed) <= 1000 then array_agg(speed) filter (where speed is not null) end,
      case when count(speed) > 100 then gatewarden_sketch(array_agg(speed) filter (where speed is not null)) end
    from timed where latency is not null or speed is not null
    group by account_id, workspace_id, grouping sets ((hour), (day)), grouping sets ((), (model, variant), (provider, endpoint_tag))
    order by 1, 5, 4, 3, 2, 6, 7, 8, 9
    on conflict (account_id, rollup, is_day, bucket, workspace_id, (array[model, variant, provider, endpoint_tag])) do update set
      latency_ms_count = s.latency_ms_count + excluded.latency_ms_count,
      latency_ms_values = case when s.latency_ms_count + excluded.latency_ms_count <= 1000
        then coalesce(s.latency_ms_values, '{}') || coalesce(excluded.latency_ms_values, '{}') end,
      latency_ms_sketch = case when s.latency_ms_count + excluded.latency_ms_count > 100 then gatewarden_merge_sketches(
        coalesce(s.latency_ms_sketch, gatewarden_sketch(s.latency_ms_values)),
        coalesce(excluded.latency_ms_sketch, gatewarden_sketch(excluded.latency_ms_values))
      ) end,
      throughput_count = s.throughput_count + excluded.throughput_count,
      throughput_values = case when s.throughput_count + excluded.throughput_count <= 1000
        then coalesce(s.throughput_values, '{}') || coalesce(excluded.throughput_values, '{}') end,
      throughput_sketch = case when s.throughput_count + excluded.throughput_count > 100 then gatewarden_merge_sketches(
        coalesce(s.throughput_sketch, gatewarden_sketch(s.throughput_values)),
        coalesce(excluded.throughput_sketch, gatewarden_sketch(excluded.throughput_values))
      ) end
  )$parts$
$text$
