/**
 * Holding and settling as functions: one call each, for one request or for many, decided in their order.
 *
 * As one statement of many parts both were planned at nearly every call, which took longer than the work. A function keeps the
 * plans of its small statements, which are made to use indexes whatever the statistics of an empty table say. What a request
 * finds is kept in arrays while the windows are locked, and written back once, however many requests there were.
 */
export const ledgerFunctions = {
  id: 19,
  name: "ledger_functions",
  sql: `
-- A plan made for an empty table is kept while it grows. So rows are named by their keys even where a join would say it, and an
-- account that is compared "is true" is not looked up by.

create function gatewarden_window_start(asked_interval text, at timestamptz) returns timestamptz language sql stable as $body$
  select case asked_interval
    when 'daily' then date_trunc('day', at, 'UTC')
    when 'weekly' then date_trunc('week', at, 'UTC')
    when 'monthly' then date_trunc('month', at, 'UTC')
    else '-infinity'::timestamptz
  end
$body$;

-- Records a warning once for its window and kind, and answers it; null when it was recorded before, which is found out without writing.
create function gatewarden_warn(warned_account uuid, warned_workspace uuid, due_kind text, budget jsonb, start timestamptz,
  spent numeric, held numeric, at timestamptz)
returns json language plpgsql volatile set plan_cache_mode = force_generic_plan set enable_seqscan = off as $body$
declare
  warned_guardrail uuid := (budget ->> 'guardrail_id')::uuid;
  printed json;
begin
  if exists (
    select from gatewarden_budget_warning w
    where w.account_id = warned_account and w.scope = budget ->> 'scope' and w.entity = budget ->> 'entity'
      and w.interval = budget ->> 'interval' and w.window_start = start and w.kind = due_kind
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
$body$;

-- Windows are named by three arrays. Requests ask by lists of budgets; the budgets of all lists stand one after another, each with
-- the place of its window, and so do the costs of all requests. What ends where is in *_ends. Nothing is locked unless every
-- window is there and, unless it was swept, no hold has expired unseen.
create function gatewarden_hold_budgets(asked_account uuid, asked_at timestamptz, is_swept boolean,
  spenders text[], entities text[], intervals text[],
  lists jsonb[], list_workspaces uuid[], list_ends int[], budget_windows int[], limits numeric[], counts_byok boolean[],
  ids text[], id_lists int[], seconds int[], cost_ends int[], costs numeric[], is_byok boolean[],
  kinds text[], percents int[])
returns json language plpgsql volatile set plan_cache_mode = force_generic_plan set enable_seqscan = off as $body$
declare
  at timestamptz := coalesce(asked_at, now());
  found_ids bigint[];
  starts timestamptz[];
  spent numeric[];
  byok_spent numeric[];
  held numeric[];
  full_held numeric[];
  seen json;
  list int;
  first int;
  last int;
  place int;
  places int[];
  window_ids bigint[];
  left_to_shared numeric;
  left_to_all numeric;
  amount numeric;
  full_amount numeric;
  budget_spent numeric;
  budget_held numeric;
  amounts numeric[] := array_fill(null::numeric, array[cardinality(ids)]);
  full_amounts numeric[] := amounts;
  taken int[] := '{}';
  noticed int[] := '{}';
  refused int[] := '{}';
  warning json;
  warnings json[] := '{}';
begin
  if not is_swept and exists (
    select from gatewarden_hold h where h.account_id = asked_account and h.state = 'open' and h.expires_at <= at
  ) then
    return json_build_object('verdict', 'stale');
  end if;
  select array_agg(w.id order by u.n) into found_ids
  from unnest(spenders, entities, intervals) with ordinality as u (spender, entity, interval, n)
  cross join lateral (
    select w.id from gatewarden_budget_window w
    where w.account_id = asked_account and w.spender = u.spender and w.entity = u.entity and w.interval = u.interval
      and w.window_start = gatewarden_window_start(u.interval, at)
    limit 1
  ) w;
  if coalesce(cardinality(found_ids), 0) < cardinality(spenders) then
    return json_build_object('verdict', 'missing');
  end if;
  select array_agg(l.window_start order by l.n), array_agg(l.spent_nanos order by l.n),
    array_agg(l.byok_spent_nanos order by l.n), array_agg(l.held_nanos order by l.n), array_agg(l.full_held_nanos order by l.n)
  into starts, spent, byok_spent, held, full_held
  from (
    select w.*, array_position(found_ids, w.id) as n from gatewarden_budget_window w
    where w.id = any (found_ids) order by w.id for update
  ) l;
  seen := json_build_object(
    'starts', array(
      select case when isfinite(u.start) then (extract(epoch from u.start) * 1000)::bigint::text end
      from unnest(starts) with ordinality as u (start, n) order by u.n
    ),
    'spent', spent::text[], 'byok_spent', byok_spent::text[], 'held', held::text[], 'full_held', full_held::text[]
  );
  for r in 1 .. cardinality(ids) loop
    list := id_lists[r];
    first := case when list = 1 then 1 else list_ends[list - 1] + 1 end;
    last := list_ends[list];
    places := '{}';
    window_ids := '{}';
    left_to_shared := null;
    left_to_all := null;
    for b in first .. last loop
      place := budget_windows[b];
      if place <> all (places) then
        places := places || place;
        window_ids := window_ids || found_ids[place];
      end if;
      if counts_byok[b] then
        left_to_all := least(left_to_all, limits[b] - spent[place] - byok_spent[place] - full_held[place]);
      else
        left_to_shared := least(left_to_shared, limits[b] - spent[place] - held[place]);
      end if;
    end loop;
    amount := null;
    full_amount := null;
    for c in case when r = 1 then 1 else cost_ends[r - 1] + 1 end .. cost_ends[r] loop
      if coalesce(costs[c] <= left_to_all, true)
        and coalesce(case when is_byok[c] then 0 else costs[c] end <= left_to_shared, true)
      then
        full_amount := greatest(full_amount, costs[c]);
        if not is_byok[c] then
          amount := greatest(amount, costs[c]);
        end if;
      end if;
    end loop;
    if full_amount is not null then
      amount := coalesce(amount, 0);
      insert into gatewarden_hold
        (admission_id, account_id, held_at, expires_at, state, window_ids, nanos, full_nanos, budgets)
      values (ids[r], asked_account, at, at + seconds[r] * interval '1 second', 'open', window_ids, amount, full_amount,
        lists[list])
      on conflict do nothing;
      if not found then
        taken := taken || r;
        continue;
      end if;
      amounts[r] := amount;
      full_amounts[r] := full_amount;
    end if;
    -- What was spent stays as it is while requests are decided, so that the first of a list notices it for all.
    if full_amount is null or list <> all (noticed) then
      for b in first .. last loop
        place := budget_windows[b];
        budget_spent := spent[place] + case when counts_byok[b] then byok_spent[place] else 0 end;
        budget_held := case when counts_byok[b] then full_held[place] else held[place] end;
        if limits[b] > 0 and list <> all (noticed) then
          for k in 1 .. cardinality(kinds) loop
            if budget_spent * 100 >= limits[b] * percents[k] then
              warning := gatewarden_warn(asked_account, list_workspaces[list], kinds[k], lists[list] -> b - first,
                starts[place], budget_spent, budget_held, at);
              warnings := case when warning is null then warnings else warnings || warning end;
            end if;
          end loop;
        end if;
        if full_amount is null and b <> all (refused) then
          for c in case when r = 1 then 1 else cost_ends[r - 1] + 1 end .. cost_ends[r] loop
            if budget_spent + budget_held + (case when is_byok[c] and not counts_byok[b] then 0 else costs[c] end) > limits[b] then
              refused := refused || b;
              warning := gatewarden_warn(asked_account, list_workspaces[list], 'denied', lists[list] -> b - first,
                starts[place], budget_spent, budget_held, at);
              warnings := case when warning is null then warnings else warnings || warning end;
              exit;
            end if;
          end loop;
        end if;
      end loop;
      noticed := noticed || list;
    end if;
    if full_amount is not null then
      foreach place in array places loop
        held[place] := held[place] + amount;
        full_held[place] := full_held[place] + full_amount;
      end loop;
    end if;
  end loop;
  update gatewarden_budget_window w set held_nanos = n.held, full_held_nanos = n.full_held
  from unnest(found_ids, held, full_held) as n (id, held, full_held)
  where w.id = n.id and w.id = any (found_ids) and (w.held_nanos <> n.held or w.full_held_nanos <> n.full_held);
  return json_build_object('verdict', 'decided', 'at', floor(extract(epoch from at) * 1000)::bigint::text,
    'windows', seen, 'amounts', amounts::text[], 'full_amounts', full_amounts::text[], 'taken', taken, 'warnings', warnings);
end
$body$;

-- Events are rows of their table as JSON, each of another id. Locks are taken in one order: the account's, holds by id, windows by id.
create function gatewarden_settle_events(asked_account uuid, asked_at timestamptz, ids text[], sent json, kinds text[], percents int[])
returns json language plpgsql volatile set plan_cache_mode = force_generic_plan set enable_seqscan = off as $body$
declare
  at timestamptz := coalesce(asked_at, now());
  events gatewarden_usage_event[];
  event gatewarden_usage_event;
  holds gatewarden_hold[] := array_fill(null::gatewarden_hold, array[cardinality(ids)]);
  hold gatewarden_hold;
  settled text[] := '{}';
  added text[];
  charge_events bigint[];
  charge_windows bigint[];
  charge int := 1;
  locked bigint[] := '{}';
  found_ids bigint[];
  starts timestamptz[];
  spent numeric[];
  byok_spent numeric[];
  held numeric[];
  full_held numeric[];
  place int;
  window_id bigint;
  is_added boolean;
  budget jsonb;
  budget_limit numeric;
  budget_spent numeric;
  amount numeric;
  above numeric;
  most_above numeric;
  charges jsonb;
  closed text[] := '{}';
  settlements jsonb[] := array_fill(null::jsonb, array[cardinality(ids)]);
  outcomes jsonb[] := '{}';
  warning json;
  warnings json[] := '{}';
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('gatewarden/spending/' || asked_account, 0));
  if current_setting('transaction_isolation') <> 'read committed' then
    -- The snapshot is older than the lock. Where a window was opened in between, this fails as what cannot be serialized does.
    insert into gatewarden_spending (account_id, opened) values (asked_account, 0) on conflict do nothing;
    perform from gatewarden_spending where account_id = asked_account for share;
  end if;
  events := array(select e from json_populate_recordset(null::gatewarden_usage_event, sent) e);
  for r in 1 .. cardinality(ids) loop
    events[r].account_id := asked_account;
  end loop;
  for hold in
    select * from gatewarden_hold h
    where h.admission_id = any (ids) and (h.account_id = asked_account) is true order by h.admission_id for update
  loop
    place := array_position(ids, hold.admission_id);
    holds[place] := hold;
    if hold.state = 'settled' then
      settled := settled || hold.admission_id;
    else
      events[place].charged_at := hold.held_at;
      locked := locked || hold.window_ids;
    end if;
  end loop;
  with added as (
    insert into gatewarden_usage_event
    select e.* from unnest(events) e where e.id <> all (settled) order by e.id
    on conflict (account_id, id) do nothing
    returning id, classifiers
  ), noted as (
    insert into gatewarden_usage_classifier (account_id, classifier_id)
    select distinct asked_account, jsonb_object_keys(classifiers) from added where classifiers is not null order by 2
    on conflict do nothing
  )
  select coalesce(array_agg(a.id), '{}') into added from added a;
  select array_agg(w.n order by w.n), array_agg(w.id order by w.n) into charge_events, charge_windows
  from (
    select e.ordinality as n, w.id
    from unnest(events) with ordinality as e
    cross join lateral (values ('key', e.api_key_hash), ('user', e.user_id), ('workspace', e.workspace_id::text)) as s (spender, entity)
    cross join unnest('{daily,weekly,monthly,lifetime}'::text[]) as i (interval)
    cross join lateral (
      select w.id from gatewarden_budget_window w
      where w.account_id = asked_account and w.spender = s.spender and w.entity = s.entity and w.interval = i.interval
        and w.window_start = gatewarden_window_start(i.interval, coalesce(e.charged_at, e.created_at))
      limit 1
    ) w
    where e.id = any (added)
  ) w;
  locked := locked || charge_windows;
  select array_agg(l.id), array_agg(l.window_start), array_agg(l.spent_nanos), array_agg(l.byok_spent_nanos),
    array_agg(l.held_nanos), array_agg(l.full_held_nanos)
  into found_ids, starts, spent, byok_spent, held, full_held
  from (select * from gatewarden_budget_window w where w.id = any (locked) order by w.id for update) l;
  for r in 1 .. cardinality(ids) loop
    event := events[r];
    hold := holds[r];
    if hold.state = 'settled' then
      settlements[r] := hold.settlement;
      continue;
    end if;
    is_added := ids[r] = any (added);
    while charge_events[charge] = r loop
      place := array_position(found_ids, charge_windows[charge]);
      spent[place] := spent[place] + event.cost_nanos;
      byok_spent[place] := byok_spent[place] + event.byok_cost_nanos;
      charge := charge + 1;
    end loop;
    continue when hold.admission_id is null;
    if hold.state = 'open' then
      foreach window_id in array hold.window_ids loop
        place := array_position(found_ids, window_id);
        if place is not null then
          held[place] := held[place] - hold.nanos;
          full_held[place] := full_held[place] - hold.full_nanos;
        end if;
      end loop;
    end if;
    charges := '[]';
    most_above := 0;
    for b in 0 .. case when is_added then jsonb_array_length(hold.budgets) else 0 end - 1 loop
      budget := hold.budgets -> b;
      place := array_position(found_ids, hold.window_ids[(budget ->> 'n')::int]);
      -- A window that was forgotten since is charged no more.
      continue when place is null;
      budget_limit := (budget ->> 'limit_nanos')::numeric;
      budget_spent := spent[place];
      amount := event.cost_nanos;
      if (budget ->> 'include_byok')::boolean then
        budget_spent := budget_spent + byok_spent[place];
        amount := amount + event.byok_cost_nanos;
      end if;
      above := least(greatest(budget_spent - budget_limit, 0), amount);
      most_above := greatest(most_above, above);
      charges := charges || jsonb_build_array((budget - 'n') || jsonb_build_object(
        'window_start', case when isfinite(starts[place]) then (extract(epoch from starts[place]) * 1000)::bigint end,
        'nanos', amount::text, 'overdraft_nanos', above::text
      ));
      if budget_limit > 0 and budget_spent * 100 >= budget_limit * percents[1] then
        for k in 1 .. cardinality(kinds) loop
          if budget_spent * 100 >= budget_limit * percents[k] then
            warning := gatewarden_warn(asked_account, event.workspace_id, kinds[k], budget, starts[place], budget_spent, null, at);
            warnings := case when warning is null then warnings else warnings || warning end;
          end if;
        end loop;
      end if;
    end loop;
    closed := closed || hold.admission_id;
    settlements[r] := jsonb_build_object('charges', charges, 'overdraft_nanos', most_above::text);
    outcomes := outcomes || settlements[r];
  end loop;
  update gatewarden_budget_window w
  set spent_nanos = n.spent, byok_spent_nanos = n.byok_spent, held_nanos = n.held, full_held_nanos = n.full_held
  from unnest(found_ids, spent, byok_spent, held, full_held) as n (id, spent, byok_spent, held, full_held)
  where w.id = n.id and w.id = any (found_ids);
  update gatewarden_hold h set state = 'settled', settlement = s.settlement
  from unnest(closed, outcomes) as s (id, settlement) where h.admission_id = s.id and h.admission_id = any (closed);
  return json_build_object('settlements', settlements, 'warnings', warnings);
end
$body$;
`
} as const
