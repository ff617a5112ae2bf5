-- The part of a statement that adds the rows of `batch`, which has columns of gatewarden_usage_event, to their cells: two expressions of a
-- WITH clause, with a comma before each. Text, because a batch is rows that wait, or the new table of a trigger.
create or replace function gatewarden_fold_parts()
returns text language sql immutable as $text$
  select $parts$
  , timed as (
    select *, date_bin('1 hour', created_at, 'epoch') as hour, date_bin('1 day', created_at, '1970-01-01T00:00:00Z') as day,
      case when status = 'ok' then latency_ms end as latency, case when status = 'ok' then throughput end as speed
    from batch
  ), cells as (
    insert into gatewarden_usage_cell as c (
      account_id, workspace_id, bucket, is_day, rollup,
      model, variant, api_key_hash, user_id, provider, endpoint_tag, app, status, finish_reason, external_user,
      request_count, byok, guardrail_invoked, response_cached,
      prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, cache_write_tokens, cost_nanos, byok_cost_nanos,
      byok_fees_nanos, usage_upstream_nanos, usage_cache_nanos, usage_data_nanos, usage_web_nanos, usage_upstream_web_nanos,
      usage_file_nanos, usage_upstream_file_nanos, usage_web_fetch_nanos, usage_upstream_web_fetch_nanos,
      latency_ms_count, latency_ms_sum, throughput_count, throughput_sum
    )
    select account_id, workspace_id, coalesce(hour, day), grouping(hour) = 1,
      127 - grouping(model, api_key_hash, user_id, provider, app, status, external_user),
      model, variant, api_key_hash, user_id, provider, endpoint_tag, app, status, finish_reason, external_user,
      count(*), count(*) filter (where byok), count(*) filter (where guardrail_invoked), count(*) filter (where response_cached),
      sum(prompt_tokens), sum(completion_tokens), sum(reasoning_tokens), sum(cached_tokens), coalesce(sum(cache_write_tokens), 0),
      sum(cost_nanos), sum(byok_cost_nanos),
      sum(byok_fees_nanos), sum(usage_upstream_nanos), sum(usage_cache_nanos), sum(usage_data_nanos), sum(usage_web_nanos),
      sum(usage_upstream_web_nanos), sum(usage_file_nanos), sum(usage_upstream_file_nanos), sum(usage_web_fetch_nanos),
      sum(usage_upstream_web_fetch_nanos),
      count(latency), coalesce(sum(latency::numeric), 0), count(speed), coalesce(sum(speed::numeric), 0)
    from timed
    group by account_id, workspace_id, grouping sets ((hour), (day)), grouping sets (
      (), (model, variant), (api_key_hash), (user_id), (provider, endpoint_tag), (app), (status, finish_reason), (external_user),
      (model, variant, provider, endpoint_tag), (model, variant, api_key_hash), (model, variant, user_id)
    )
    order by 1, 5, 4, 3, 2, array[model, variant, api_key_hash, user_id, provider, endpoint_tag, app, status, finish_reason, external_user]
    on conflict (
      account_id, rollup, is_day, bucket, workspace_id,
      (array[model, variant, api_key_hash, user_id, provider, endpoint_tag, app, status, finish_reason, external_user])
    ) do update set
      request_count = c.request_count + excluded.request_count, byok = c.byok + excluded.byok,
      guardrail_invoked = c.guardrail_invoked + excluded.guardrail_invoked,
      response_cached = c.response_cached + excluded.response_cached,
      prompt_tokens = c.prompt_tokens + excluded.prompt_tokens, completion_tokens = c.completion_tokens + excluded.completion_tokens,
      reasoning_tokens = c.reasoning_tokens + excluded.reasoning_tokens, cached_tokens = c.cached_tokens + excluded.cached_tokens,
      cache_write_tokens = c.cache_write_tokens + excluded.cache_write_tokens,
      cost_nanos = c.cost_nanos + excluded.cost_nanos, byok_cost_nanos = c.byok_cost_nanos + excluded.byok_cost_nanos,
      byok_fees_nanos = coalesce(c.byok_fees_nanos + excluded.byok_fees_nanos, c.byok_fees_nanos, excluded.byok_fees_nanos),
      usage_upstream_nanos =
        coalesce(c.usage_upstream_nanos + excluded.usage_upstream_nanos, c.usage_upstream_nanos, excluded.usage_upstream_nanos),
      usage_cache_nanos = coalesce(c.usage_cache_nanos + excluded.usage_cache_nanos, c.usage_cache_nanos, excluded.usage_cache_nanos),
      usage_data_nanos = coalesce(c.usage_data_nanos + excluded.usage_data_nanos, c.usage_data_nanos, excluded.usage_data_nanos),
      usage_web_nanos = coalesce(c.usage_web_nanos + excluded.usage_web_nanos, c.usage_web_nanos, excluded.usage_web_nanos),
      usage_upstream_web_nanos = coalesce(
        c.usage_upstream_web_nanos + excluded.usage_upstream_web_nanos, c.usage_upstream_web_nanos, excluded.usage_upstream_web_nanos
      ),
      usage_file_nanos = coalesce(c.usage_file_nanos + excluded.usage_file_nanos, c.usage_file_nanos, excluded.usage_file_nanos),
      usage_upstream_file_nanos = coalesce(
        c.usage_upstream_file_nanos + excluded.usage_upstream_file_nanos, c.usage_upstream_file_nanos, excluded.usage_upstream_file_nanos
      ),
      usage_web_fetch_nanos = coalesce(
        c.usage_web_fetch_nanos + excluded.usage_web_fetch_nanos, c.usage_web_fetch_nanos, excluded.usage_web_fetch_nanos
      ),
      usage_upstream_web_fetch_nanos = coalesce(
        c.usage_upstream_web_fetch_nanos + excluded.usage_upstream_web_fetch_nanos,
        c.usage_upstream_web_fetch_nanos, excluded.usage_upstream_web_fetch_nanos
      ),
      latency_ms_count = c.latency_ms_count + excluded.latency_ms_count, latency_ms_sum = c.latency_ms_sum + excluded.latency_ms_sum,
      throughput_count = c.throughput_count + excluded.throughput_count, throughput_sum = c.throughput_sum + excluded.throughput_sum
  ), spreads as (
    insert into gatewarden_usage_spread as s (
      account_id, workspace_id, bucket, is_day, rollup, model, variant, provider, endpoint_tag,
      latency_ms_count, latency_ms_values, latency_ms_sketch, throughput_count, throughput_values, throughput_sketch
    )
    select account_id, workspace_id, coalesce(hour, day), grouping(hour) = 1,
      grouping(provider) * -8 - grouping(model) * 64 + 72, model, variant, provider, endpoint_tag,
      count(latency), case when count(latency) <= 1000 then array_agg(latency) filter (where latency is not null) end,
      case when count(latency) > 100 then gatewarden_sketch(array_agg(latency) filter (where latency is not null)) end,
      count(speed), case when count(speed) <= 1000 then array_agg(speed) filter (where speed is not null) end,
      case when count(speed) > 100 then gatewarden_sketch(array_agg(speed) filter (where speed is not null)) end
    from timed where latency is not null or speed is not null
    group by account_id, workspace_id, grouping sets ((hour), (day)), grouping sets ((), (model, variant), (provider, endpoint_tag))
    order by 1, 5, 4, 3, 2, array[model, variant, provider, endpoint_tag]
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
