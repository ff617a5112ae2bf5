-- Records a warning once for its window, kind and limit, and answers it; null when it was recorded before, which is found out without
-- writing.
create or replace function gatewarden_warn(
  warned_account uuid, warned_workspace uuid, due_kind text, budget jsonb, start timestamptz, spent numeric, held numeric,
  at timestamptz
)
returns json language plpgsql
  -- A session keeps the plans that it made first, perhaps for empty tables: these look rows up by keys whatever statistics say.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  warned_guardrail uuid := (budget ->> 'guardrail_id')::uuid;
  printed json;
begin
  if exists (
    select from gatewarden_budget_warning w
    where w.account_id = warned_account and w.scope = budget ->> 'scope' and w.entity = budget ->> 'entity'
      and w.interval = budget ->> 'interval' and w.window_start = start and w.kind = due_kind
      and w.limit_nanos = (budget ->> 'limit_nanos')::numeric
      and coalesce(w.guardrail_id, '00000000-0000-0000-0000-000000000000')
        = coalesce(warned_guardrail, '00000000-0000-0000-0000-000000000000')
  ) then
    return null;
  end if;
  insert into gatewarden_budget_warning as w (account_id, workspace_id, kind, scope, entity, guardrail_id, interval,
    window_start, include_byok, limit_nanos, spent_nanos, held_nanos, created_at)
  values (warned_account, warned_workspace, due_kind, budget ->> 'scope', budget ->> 'entity', warned_guardrail,
    budget ->> 'interval', start, (budget ->> 'include_byok')::boolean, (budget ->> 'limit_nanos')::numeric, spent, held, at)
  on conflict do nothing
  returning json_build_object(
    'workspace_id', w.workspace_id, 'kind', w.kind, 'scope', w.scope, 'entity', w.entity, 'guardrail_id', w.guardrail_id,
    'interval', w.interval, 'include_byok', w.include_byok, 'limit_nanos', w.limit_nanos::text,
    'spent_nanos', w.spent_nanos::text, 'held_nanos', w.held_nanos::text,
    'start', case when isfinite(w.window_start) then (extract(epoch from w.window_start) * 1000)::bigint::text end,
    'at', floor(extract(epoch from w.created_at) * 1000)::bigint::text
  ) into printed;
  return printed;
end
$body$
