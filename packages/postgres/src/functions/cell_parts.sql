-- The part of a statement that adds the events of `batch` to sets of cells: an expression of a WITH clause for each, with a comma before it.
-- `batch` has the columns of gatewarden_usage_event, those of `gatewarden_summed_columns`, and `kept`, the sets that the day of the event has.
--
-- Text, because a batch is rows that wait, the new table of a trigger, or a day. Nothing in it was sent by anybody.
create or replace function gatewarden_cell_parts(batch text, sets smallint[])
returns text language sql immutable as $text$
  select string_agg(', cells_' || number || $parts$ as (
    insert into gatewarden_usage_cell as c (
      account_id, workspace_id, bucket, is_day, rollup,
      model, variant, api_key_hash, user_id, provider, endpoint_tag, app, status, finish_reason, external_user,
      request_count, byok, guardrail_invoked, response_cached,
      prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, cache_write_tokens, cost_nanos, byok_cost_nanos,
      byok_fees_nanos, usage_upstream_nanos, usage_cache_nanos, usage_data_nanos, usage_web_nanos, usage_upstream_web_nanos,
      usage_file_nanos, usage_upstream_file_nanos, usage_web_fetch_nanos, usage_upstream_web_fetch_nanos,
      latency_ms_count, latency_ms_sum, throughput_count, throughput_sum
    )
    select account_id, workspace_id, $parts$ || case when is_day then 'day, true, ' else 'hour, false, ' end || (number & 127) || ', '
      || (
        select string_agg(case when name = any (dimensions) then name else 'null' end, ', ' order by position) from unnest(array[
          'model', 'variant', 'api_key_hash', 'user_id', 'provider', 'endpoint_tag', 'app', 'status', 'finish_reason', 'external_user'
        ]) with ordinality as named (name, position)
      ) || $parts$,
      count(*) filter (where adjusts is null), count(*) filter (where byok), count(*) filter (where guardrail_invoked), count(*) filter (where response_cached),
      sum(prompt_tokens), sum(completion_tokens), coalesce(sum(reasoning_tokens), 0), coalesce(sum(cached_tokens), 0),
      coalesce(sum(cache_write_tokens), 0),
      sum(cost_nanos), sum(byok_cost_nanos),
      sum(byok_fees_nanos), sum(usage_upstream_nanos), sum(usage_cache_nanos), sum(usage_data_nanos), sum(usage_web_nanos),
      sum(usage_upstream_web_nanos), sum(usage_file_nanos), sum(usage_upstream_file_nanos), sum(usage_web_fetch_nanos),
      sum(usage_upstream_web_fetch_nanos),
      count(latency), coalesce(sum(latency::numeric), 0), count(speed), coalesce(sum(speed::numeric), 0)
    from $parts$ || batch || ' where ' || number || '::smallint = any (kept) group by '
      || concat_ws(', ', 'account_id, workspace_id', case when is_day then 'day' else 'hour' end, nullif(array_to_string(dimensions, ', '), ''))
      || $parts$
    order by 1, 3, 2, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
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
  )$parts$, '' order by number)
  from gatewarden_cell_sets() where number = any (sets)
$text$
