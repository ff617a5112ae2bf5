-- The same as `gatewarden_cell_parts` for what percentiles are read of, which coarse sets have. Up to 1,000 values are kept as they are, more
-- than 100 as a sketch, too.
create or replace function gatewarden_spread_parts(batch text, sets smallint[])
returns text language sql immutable as $text$
  select string_agg(', spread_' || number || $parts$ as (
    insert into gatewarden_usage_spread as s (
      account_id, workspace_id, bucket, is_day, rollup, model, variant, provider, endpoint_tag,
      latency_ms_count, latency_ms_values, latency_ms_sketch, throughput_count, throughput_values, throughput_sketch
    )
    select account_id, workspace_id, $parts$ || case when is_day then 'day, true, ' else 'hour, false, ' end || (number & 127) || ', '
      || (
        select string_agg(case when name = any (dimensions) then name else 'null' end, ', ' order by position)
        from unnest(array['model', 'variant', 'provider', 'endpoint_tag']) with ordinality as named (name, position)
      ) || $parts$,
      count(latency), case when count(latency) <= 1000 then array_agg(latency) filter (where latency is not null) end,
      case when count(latency) > 100 then gatewarden_sketch(array_agg(latency) filter (where latency is not null)) end,
      count(speed), case when count(speed) <= 1000 then array_agg(speed) filter (where speed is not null) end,
      case when count(speed) > 100 then gatewarden_sketch(array_agg(speed) filter (where speed is not null)) end
    from $parts$ || batch || ' where (latency is not null or speed is not null) and ' || number || '::smallint = any (kept) group by '
      || concat_ws(', ', 'account_id, workspace_id', case when is_day then 'day' else 'hour' end, nullif(array_to_string(dimensions, ', '), ''))
      || $parts$
    order by 1, 3, 2, 6, 7, 8, 9
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
  )$parts$, '' order by number)
  from gatewarden_cell_sets() where number = any (sets) and number = any (gatewarden_coarse_sets())
$text$
