/**
 * Records events of one account and charges what they cost, in one call.
 *
 * Events are rows of their table as JSON, each of another id. Locks are taken in one order: the account's, holds, events by id, windows by id.
 * The answer has one element for each event: the list of budgets that was charged, the instant of the hold, amounts where the event was
 * recorded before, and what went over each budget's limit where anything did.
 */
import { type SqlFunction, byKeys } from "./SqlFunction.ts"
import { bytesOfEvent, insertRuns } from "./deliveries.ts"
import { insertSums, spenderRows } from "./spenders.ts"

export const settleEvents: SqlFunction = {
  name: "gatewarden_settle_events",
  sql: `
create or replace function gatewarden_settle_events(
  asked_account uuid, asked_at timestamptz, patience int, ids text[], sent json, kinds text[], percents int[]
)
returns json language plpgsql ${byKeys} as $body$
declare
  at timestamptz := coalesce(asked_at, now());
  n int := cardinality(ids);
  events gatewarden_usage_event[];
  closed gatewarden_hold[];
  hold gatewarden_hold;
  hold_lists bigint[] := array_fill(null::bigint, array[n]);
  hold_keys text[] := array_fill(null::text, array[n]);
  hold_users text[] := hold_keys;
  hold_workspaces text[] := hold_keys;
  hold_ats timestamptz[] := array_fill(null::timestamptz, array[n]);
  hold_nanos numeric[] := array_fill(0::numeric, array[n]);
  hold_full_nanos numeric[] := hold_nanos;
  charged_nanos numeric[] := hold_nanos;
  charged_full_nanos numeric[] := hold_nanos;
  is_simple boolean := true;
  keys text[];
  users text[];
  workspaces text[];
  ats timestamptz[];
  costs numeric[];
  byok_costs numeric[];
  added text[];
  overdrafts json[] := array_fill(null::json, array[n]);
  settlements jsonb[] := array_fill(null::jsonb, array[n]);
  repeated_costs text[] := hold_keys;
  repeated_byok_costs text[] := hold_keys;
  seen record;
  asked_ids bigint[];
  asked_costs numeric[];
  asked_byok_costs numeric[];
  asked_held numeric[];
  asked_full_held numeric[];
  least_limits numeric[];
  least_full_limits numeric[];
  found_ids bigint[];
  starts timestamptz[];
  spent numeric[];
  byok_spent numeric[];
  held numeric[];
  full_held numeric[];
  charge_events int[];
  charge_windows bigint[];
  release_events int[];
  release_windows bigint[];
  budget_windows bigint[];
  budgets jsonb;
  budget jsonb;
  charge int := 1;
  release int := 1;
  next_budget int := 1;
  place int;
  budget_limit numeric;
  budget_spent numeric;
  amount numeric;
  above numeric[];
  is_above boolean;
  warning json;
  warnings json[] := '{}';
begin
  if patience is not null then
    perform set_config('lock_timeout', patience::text, true);
  end if;
  perform gatewarden_enter_ledger(asked_account);
  events := array(select e from json_populate_recordset(null::gatewarden_usage_event, sent) e);
  with gone as (
    delete from gatewarden_hold h
    where h.admission_id = any (ids) and (h.account_id = asked_account) is true and h.state <> 'settled' returning h
  )
  select array_agg(g.h) into closed from gone g;
  for r in 1 .. n loop
    events[r].account_id := asked_account;
  end loop;
  for c in 1 .. coalesce(cardinality(closed), 0) loop
    hold := closed[c];
    place := array_position(ids, hold.admission_id);
    events[place].charged_at := hold.held_at;
    events[place].budget_list_id := hold.budget_list_id;
    events[place].held_nanos := hold.full_nanos;
    if hold.member is not null then
      events[place].user_id := hold.member;
    end if;
    hold_lists[place] := hold.budget_list_id;
    hold_keys[place] := hold.key_hash;
    hold_users[place] := hold.user_id;
    hold_workspaces[place] := hold.workspace_id::text;
    hold_ats[place] := hold.held_at;
    if hold.state = 'open' then
      hold_nanos[place] := hold.nanos;
      hold_full_nanos[place] := hold.full_nanos;
    elsif hold.state = 'charged' then
      charged_nanos[place] := hold.nanos;
      charged_full_nanos[place] := hold.full_nanos;
    end if;
    is_simple := is_simple and hold.is_plain and hold.state <> 'charged';
  end loop;
  with added as (
    insert into gatewarden_usage_event
    select e.* from unnest(events) e order by e.id
    on conflict (account_id, id) do nothing
    returning id, classifiers
  ), noted as (
    insert into gatewarden_usage_classifier (account_id, classifier_id)
    select distinct asked_account, jsonb_object_keys(classifiers) from added where classifiers is not null order by 2
    on conflict do nothing
  )
  select coalesce(array_agg(a.id), '{}') into added from added a;
  -- Looked for as text first, which costs next to nothing where nothing is delivered.
  if position('"delivery_run"' in sent::text) > 0 then${insertRuns(`(
        select asked_account as account_id, d.workspace_id, d.recorded_at, d.id, d.delivery_run as run, d.delivered_to as destinations,
          d.sealed_bodies, ${bytesOfEvent("d")} as event_bytes, array_position(ids, d.id) as place
        from json_to_recordset(sent) as d (
          id text, workspace_id uuid, recorded_at timestamptz, delivery_run bigint, delivered_to text, sealed_bodies bytea,
          trace json, classifiers json
        )
        where d.id = any (added)
      )`)};
  end if;
  if position('"sealed_content"' in sent::text) > 0 then
    insert into gatewarden_generation_content (account_id, workspace_id, recorded_at, event_id, sealed_bodies)
    select asked_account, c.workspace_id, c.recorded_at, c.id, c.sealed_content
    from json_to_recordset(sent) as c (id text, workspace_id uuid, recorded_at timestamptz, sealed_content bytea)
    where c.sealed_content is not null and c.id = any (added) order by c.id;
  end if;
  select array_agg(e.api_key_hash order by e.ordinality), array_agg(e.user_id order by e.ordinality),
    array_agg(e.workspace_id::text order by e.ordinality),
    array_agg(coalesce(e.charged_at, e.created_at) order by e.ordinality), array_agg(e.cost_nanos::numeric order by e.ordinality),
    array_agg(e.byok_cost_nanos::numeric order by e.ordinality)
  into keys, users, workspaces, ats, costs, byok_costs
  from unnest(events) with ordinality as e;
  for r in 1 .. n loop
    is_simple := is_simple and (hold_ats[r] is null or
      (keys[r], users[r], workspaces[r]) is not distinct from (hold_keys[r], hold_users[r], hold_workspaces[r]));
  end loop;

  if is_simple and cardinality(added) = n then
    select array_agg(c.id), array_agg(c.cost), array_agg(c.byok_cost), array_agg(c.held), array_agg(c.full_held),
      array_agg(c.least), array_agg(c.full_least)
    into asked_ids, asked_costs, asked_byok_costs, asked_held, asked_full_held, least_limits, least_full_limits
    from (
      select w.id, sum(e.cost) as cost, sum(e.byok_cost) as byok_cost, sum(e.held) as held, sum(e.full_held) as full_held,
        min(b.limits[gatewarden_spender_slot(s.spender, w.interval)]) as least,
        min(b.full_limits[gatewarden_spender_slot(s.spender, w.interval)]) as full_least
      from unnest(keys, users, workspaces, ats, costs, byok_costs, hold_nanos, hold_full_nanos, hold_lists)
        as e (key, user_id, workspace, at, cost, byok_cost, held, full_held, list)
      left join lateral (select b.limits, b.full_limits from gatewarden_budget_list b where b.id = e.list offset 0) b on true
      cross join lateral (
        ${spenderRows("e.key", "e.user_id", "e.workspace")}
      ) as s (spender, entity)
      cross join lateral (
        select w.id, w.interval from gatewarden_budget_window w
        where w.account_id = asked_account and w.spender = s.spender and w.entity = s.entity
          and w.window_end > e.at and w.window_start <= e.at offset 0
      ) w
      group by w.id order by w.id
    ) c;
    select array_agg(l.id), array_agg(l.spent_nanos), array_agg(l.byok_spent_nanos) into found_ids, spent, byok_spent
    from (select * from gatewarden_budget_window w where w.id = any (asked_ids) order by w.id for update) l;
    if found_ids is not distinct from asked_ids and (
      select bool_and(coalesce((c.spent + c.cost) * 100 < c.least * percents[1], true)
        and coalesce((c.spent + c.byok_spent + c.cost + c.byok_cost) * 100 < c.full_least * percents[1], true))
      from unnest(spent, byok_spent, asked_costs, asked_byok_costs, least_limits, least_full_limits)
        as c (spent, byok_spent, cost, byok_cost, least, full_least)
    ) is not false then
      update gatewarden_budget_window w set spent_nanos = w.spent_nanos + c.cost, byok_spent_nanos = w.byok_spent_nanos + c.byok_cost,
        held_nanos = w.held_nanos - c.held, full_held_nanos = w.full_held_nanos - c.full_held
      from unnest(asked_ids, asked_costs, asked_byok_costs, asked_held, asked_full_held) as c (id, cost, byok_cost, held, full_held)
      where w.id = c.id and w.id = any (asked_ids);
      return json_build_object('lists', hold_lists::text[], 'ats', gatewarden_epochs(hold_ats));
    end if;
  end if;

  for seen in
    select e.id, e.charged_at, e.budget_list_id, e.cost_nanos, e.byok_cost_nanos, e.overdrafts from gatewarden_usage_event e
    where e.id = any (ids) and (e.account_id = asked_account) is true and e.id <> all (added)
  loop
    place := array_position(ids, seen.id);
    -- What is held under an id that was recorded otherwise is given back; the first that was recorded counts.
    if hold_ats[place] is null and seen.budget_list_id is not null then
      hold_lists[place] := seen.budget_list_id;
      hold_ats[place] := seen.charged_at;
      repeated_costs[place] := seen.cost_nanos::text;
      repeated_byok_costs[place] := seen.byok_cost_nanos::text;
      overdrafts[place] := to_json(seen.overdrafts::text[]);
    end if;
  end loop;
  for hold in
    select * from gatewarden_hold h
    where h.admission_id = any (ids) and (h.account_id = asked_account) is true and h.state = 'settled'
  loop
    settlements[array_position(ids, hold.admission_id)] := hold.settlement;
  end loop;
  select array_agg(p.n order by p.n), array_agg(p.id order by p.n) into charge_events, charge_windows
  from (
    select e.n::int as n, w.id
    from unnest(ids, keys, users, workspaces, ats) with ordinality as e (id, key, user_id, workspace, at, n)
    cross join lateral (${spenderRows("e.key", "e.user_id", "e.workspace")}) as s (spender, entity)
    cross join lateral (
      select w.id from gatewarden_budget_window w
      where w.account_id = asked_account and w.spender = s.spender and w.entity = s.entity
        and w.window_end > e.at and w.window_start <= e.at offset 0
    ) w
    where e.id = any (added)
  ) p;
  -- The event takes the place of what was charged for the hold when it expired.
  if exists (select from unnest(charged_full_nanos) c where c <> 0) then${insertSums(`
      select h.key_hash, h.user_id, h.workspace_id, h.held_at, -h.nanos as nanos, h.nanos - h.full_nanos as byok_nanos
      from unnest(closed) h where h.state = 'charged'`)};
  end if;
  select array_agg(p.n order by p.n), array_agg(p.id order by p.n) into release_events, release_windows
  from (
    select e.n::int as n, w.id
    from unnest(hold_keys, hold_users, hold_workspaces, hold_ats, hold_full_nanos, charged_full_nanos) with ordinality
      as e (key, user_id, workspace, at, full_nanos, charged, n)
    cross join lateral (${spenderRows("e.key", "e.user_id", "e.workspace")}) as s (spender, entity)
    cross join lateral (
      select w.id from gatewarden_budget_window w
      where w.account_id = asked_account and w.spender = s.spender and w.entity = s.entity
        and w.window_end > e.at and w.window_start <= e.at offset 0
    ) w
    where e.full_nanos <> 0 or e.charged <> 0
  ) p;
  select array_agg(p.id order by p.n, p.b) into budget_windows
  from (
    select e.n, b.b, w.id
    from unnest(ids, hold_lists, hold_ats, hold_workspaces) with ordinality as e (id, list, at, workspace, n)
    cross join lateral (select l.budgets from gatewarden_budget_list l where l.id = e.list offset 0) l
    cross join lateral jsonb_array_elements(l.budgets) with ordinality as b (budget, b)
    left join lateral (
      select w.id from gatewarden_budget_window w
      where w.account_id = asked_account
        and w.spender = gatewarden_spender(b.budget ->> 'scope')
        and w.entity = (b.budget ->> 'entity')
          || case gatewarden_spender(b.budget ->> 'scope') when 'workspace_user' then ' ' || e.workspace else '' end
        and w.interval = b.budget ->> 'interval'
        and w.window_end > e.at and w.window_start <= e.at offset 0
    ) w on true
    where e.id = any (added)
  ) p;
  asked_ids := charge_windows || release_windows || array_remove(budget_windows, null);
  select array_agg(l.id), array_agg(l.window_start), array_agg(l.spent_nanos), array_agg(l.byok_spent_nanos),
    array_agg(l.held_nanos), array_agg(l.full_held_nanos)
  into found_ids, starts, spent, byok_spent, held, full_held
  from (select * from gatewarden_budget_window w where w.id = any (asked_ids) order by w.id for update) l;
  for r in 1 .. n loop
    while charge_events[charge] = r loop
      place := array_position(found_ids, charge_windows[charge]);
      spent[place] := spent[place] + costs[r];
      byok_spent[place] := byok_spent[place] + byok_costs[r];
      charge := charge + 1;
    end loop;
    while release_events[release] = r loop
      place := array_position(found_ids, release_windows[release]);
      held[place] := held[place] - hold_nanos[r];
      full_held[place] := full_held[place] - hold_full_nanos[r];
      spent[place] := spent[place] - charged_nanos[r];
      byok_spent[place] := byok_spent[place] - (charged_full_nanos[r] - charged_nanos[r]);
      release := release + 1;
    end loop;
    continue when hold_ats[r] is null or repeated_costs[r] is not null;
    if ids[r] <> all (added) then
      hold_lists[r] := null;
      insert into gatewarden_hold (admission_id, account_id, held_at, expires_at, state, nanos, full_nanos, settlement)
      select h.admission_id, asked_account, h.held_at, at, 'settled', h.nanos, h.full_nanos, '{"charges":[],"overdraft_nanos":"0"}'
      from unnest(closed) h where h.admission_id = ids[r];
      continue;
    end if;
    budgets := coalesce((select l.budgets from gatewarden_budget_list l where l.id = hold_lists[r]), '[]');
    above := '{}';
    is_above := false;
    for b in 0 .. jsonb_array_length(budgets) - 1 loop
      place := array_position(found_ids, budget_windows[next_budget]);
      next_budget := next_budget + 1;
      -- A window that was forgotten since is charged no more.
      if place is null then
        above := above || null::numeric;
        is_above := true;
        continue;
      end if;
      budget := budgets -> b;
      budget_limit := (budget ->> 'limit_nanos')::numeric;
      budget_spent := spent[place];
      amount := costs[r];
      if (budget ->> 'include_byok')::boolean then
        budget_spent := budget_spent + byok_spent[place];
        amount := amount + byok_costs[r];
      end if;
      above := above || least(greatest(budget_spent - budget_limit, 0), amount);
      is_above := is_above or above[b + 1] <> 0;
      if budget_limit > 0 and budget_spent * 100 >= budget_limit * percents[1] then
        for k in 1 .. cardinality(kinds) loop
          if budget_spent * 100 >= budget_limit * percents[k] then
            warning := gatewarden_warn(asked_account, workspaces[r]::uuid, kinds[k], budget, starts[place], budget_spent, null, at);
            warnings := case when warning is null then warnings else warnings || warning end;
          end if;
        end loop;
      end if;
    end loop;
    if is_above then
      overdrafts[r] := to_json(above::text[]);
      update gatewarden_usage_event e set overdrafts = above where e.id = ids[r] and (e.account_id = asked_account) is true;
    end if;
  end loop;
  update gatewarden_budget_window w
  set spent_nanos = c.spent, byok_spent_nanos = c.byok_spent, held_nanos = c.held, full_held_nanos = c.full_held
  from unnest(found_ids, spent, byok_spent, held, full_held) as c (id, spent, byok_spent, held, full_held)
  where w.id = c.id and w.id = any (found_ids);
  return json_build_object('lists', hold_lists::text[], 'ats', gatewarden_epochs(hold_ats), 'costs', repeated_costs,
    'byok_costs', repeated_byok_costs, 'overdrafts', overdrafts, 'settlements', settlements, 'warnings', warnings);
end
$body$
`
}
