-- The part of a statement that adds the events of `batch` to cells: an expression of a WITH clause, with a comma before it. `batch` has
-- the columns of gatewarden_usage_event, and `hour`, `day`, `latency`, `speed`, and `kept`: the sets of cells that the day has
-- (rollups.sql). They are the coarse sets, or the fine ones.
--
-- Text, because a batch is rows that wait, the new table of a trigger, or a day. Nothing in it was sent by anybody.
create or replace function gatewarden_cell_parts(batch text, is_coarse boolean)
returns text language sql immutable as $text$
  select ', ' || case when is_coarse then 'coarse' else 'fine' end || $parts$ as (
    insert into gatewarden_usage_cell as c (
      account_id, workspace_id, bucket, is_day, rollup,
      model, variant, api_key_hash, user_id, provider, endpoint_tag, app, status, finish_reason, external_user,
      request_count, byok, guardrail_invoked, response_cached,
      prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, cache_write_tokens, cost_nanos, byok_cost_nanos,
      byok_fees_nanos, usage_upstream_nanos, usage_cache_nanos, usage_data_nanos, usage_web_nanos, usage_upstream_web_nanos,
      usage_file_nanos, usage_upstream_file_nanos, usage_web_fetch_nanos, usage_upstream_web_fetch_nanos,
      latency_ms_count, latency_ms_sum, throughput_count, throughput_sum
    )
    select account_id, workspace_id, $parts$ || case when is_coarse
      then 'coalesce(hour, day), grouping(hour) = 1, ' || gatewarden_coarse_set() || ' & 127,
        model, variant, null, null, provider, endpoint_tag, null, null, null, null'
      else 'day, true, ' || gatewarden_fine_set() || ',
        model, variant, api_key_hash, user_id, provider, endpoint_tag, app, status, finish_reason, external_user' end || $parts$,
      count(*), count(*) filter (where byok), count(*) filter (where guardrail_invoked), count(*) filter (where response_cached),
      sum(prompt_tokens), sum(completion_tokens), coalesce(sum(reasoning_tokens), 0), coalesce(sum(cached_tokens), 0),
      coalesce(sum(cache_write_tokens), 0),
      sum(cost_nanos), sum(byok_cost_nanos),
      sum(byok_fees_nanos), sum(usage_upstream_nanos), sum(usage_cache_nanos), sum(usage_data_nanos), sum(usage_web_nanos),
      sum(usage_upstream_web_nanos), sum(usage_file_nanos), sum(usage_upstream_file_nanos), sum(usage_web_fetch_nanos),
      sum(usage_upstream_web_fetch_nanos),
      count(latency), coalesce(sum(latency::numeric), 0), count(speed), coalesce(sum(speed::numeric), 0)
    from $parts$ || batch || ' group by account_id, workspace_id, ' || case when is_coarse
      then gatewarden_coarse_sets() || ' having ' || gatewarden_coarse_set()
      else 'day, ' || gatewarden_fine_sets() || ' having ' || gatewarden_fine_set() end
      || $parts$ = any (min(kept))
    order by 1, 5, 4, 3, 2, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
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
  )$parts$
$text$
