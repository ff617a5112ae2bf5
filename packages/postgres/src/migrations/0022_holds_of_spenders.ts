/**
 * A hold counts wherever its event will be charged: in every window of its key, its user and its workspace that there is, whichever
 * budgets watch them at the moment. So a budget that is set, or gets another interval, while requests are in flight sees them.
 *
 * A window that is opened later starts with what is held, as it does with what was spent. Meanwhile nobody may hold or give back,
 * who all take the lock of those that record.
 */
export const holdsOfSpenders = {
  id: 22,
  name: "holds_of_spenders",
  sql: `
alter table gatewarden_hold
  add column key_hash text collate "C",
  add column user_id text collate "C",
  add column workspace_id uuid;

drop function gatewarden_hold_budgets(uuid, timestamptz, boolean, text[], text[], text[], jsonb[], uuid[], int[], int[], numeric[],
  boolean[], text[], int[], int[], int[], numeric[], boolean[], text[], int[]);

-- Keeps those away who open windows, until the end of the transaction; answers how many were opened before.
create function gatewarden_enter_ledger(entered_account uuid) returns bigint language plpgsql volatile as $body$
declare
  opened_before bigint := gatewarden_enter_spending(entered_account);
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    -- The snapshot is older than the lock. Where a window was opened in between, this fails as what cannot be serialized does.
    insert into gatewarden_spending (account_id, opened) values (entered_account, 0) on conflict do nothing;
    perform from gatewarden_spending where account_id = entered_account for share;
  end if;
  return opened_before;
end
$body$;

-- Windows are named by three arrays, those of budgets first: that many are needed, the others count where they are there.
-- Requests ask by lists of budgets, each of which has the places of its windows, its budgets' first; the budgets of all lists
-- stand one after another, each with the place of its window, and so do the costs of all requests. What ends where is in *_ends.
-- Nothing is locked unless every needed window is there and, unless it was swept, no hold has expired unseen.
create function gatewarden_hold_budgets(asked_account uuid, asked_at timestamptz, is_swept boolean,
  spenders text[], entities text[], intervals text[], needed int,
  lists jsonb[], list_keys text[], list_users text[], list_workspaces uuid[], list_window_ends int[], list_windows int[],
  list_ends int[], budget_windows int[], limits numeric[], counts_byok boolean[],
  ids text[], id_lists int[], seconds int[], cost_ends int[], costs numeric[], is_byok boolean[],
  kinds text[], percents int[])
returns json language plpgsql volatile set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  at timestamptz := coalesce(asked_at, now());
  known bigint;
  entered bigint;
  found_ids bigint[];
  found_names int[];
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
  loop
    known := coalesce((select opened from gatewarden_spending where account_id = asked_account), 0);
    select array_agg(w.id order by u.n), array_agg(u.n order by u.n) into found_ids, found_names
    from unnest(spenders, entities, intervals) with ordinality as u (spender, entity, interval, n)
    cross join lateral (
      select w.id from gatewarden_budget_window w
      where w.account_id = asked_account and w.spender = u.spender and w.entity = u.entity and w.interval = u.interval
        and w.window_start = gatewarden_window_start(u.interval, at)
      limit 1
    ) w;
    -- First, and before the lock: whoever opens windows in the transaction that asked must not have it already.
    if coalesce(array_position(found_names, needed), 0) < needed then
      return json_build_object('verdict', 'missing');
    end if;
    exit when known = entered;
    if not is_swept and exists (
      select from gatewarden_hold h where h.account_id = asked_account and h.state = 'open' and h.expires_at <= at
    ) then
      return json_build_object('verdict', 'stale');
    end if;
    entered := gatewarden_enter_ledger(asked_account);
    exit when known = entered;
  end loop;
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
    for w in case when list = 1 then 1 else list_window_ends[list - 1] + 1 end .. list_window_ends[list] loop
      place := array_position(found_names, list_windows[w]);
      if place is not null then
        places := places || place;
        window_ids := window_ids || found_ids[place];
      end if;
    end loop;
    for b in first .. last loop
      place := budget_windows[b];
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
        (admission_id, account_id, held_at, expires_at, state, window_ids, nanos, full_nanos, budgets,
          key_hash, user_id, workspace_id)
      values (ids[r], asked_account, at, at + seconds[r] * interval '1 second', 'open', window_ids, amount, full_amount,
        lists[list], list_keys[list], list_users[list], list_workspaces[list])
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

-- Gives back what expired holds of an account still hold, a number of them; answers how many. Those that others settle are skipped.
create function gatewarden_sweep_holds(asked_account uuid, at timestamptz, at_once int)
returns int language plpgsql volatile set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  swept int;
begin
  perform gatewarden_enter_ledger(asked_account);
  with expired as (
    select admission_id, window_ids, nanos, full_nanos from gatewarden_hold
    where account_id = asked_account and state = 'open' and expires_at <= at
    order by admission_id limit at_once for update skip locked
  ), freed as (
    select id, sum(nanos) as nanos, sum(full_nanos) as full_nanos
    from expired cross join unnest(window_ids) as id group by id
  ), locked as (
    select w.id from gatewarden_budget_window w where w.id in (select id from freed) order by w.id for update
  ), updated as (
    update gatewarden_budget_window w
    set held_nanos = w.held_nanos - freed.nanos, full_held_nanos = w.full_held_nanos - freed.full_nanos
    from freed, locked l where w.id = freed.id and l.id = freed.id
  ), closed as (
    update gatewarden_hold h set state = 'expired' from expired where h.admission_id = expired.admission_id
  )
  select count(*) into swept from expired;
  return swept;
end
$body$;

create function gatewarden_release_hold(asked_account uuid, asked_admission text)
returns void language plpgsql volatile set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
begin
  perform gatewarden_enter_ledger(asked_account);
  with closed as (
    update gatewarden_hold set state = 'released'
    where admission_id = asked_admission and account_id = asked_account and state = 'open'
    returning window_ids, nanos, full_nanos
  ), locked as (
    select w.id from gatewarden_budget_window w
    where w.id in (select unnest(window_ids) from closed) order by w.id for update
  )
  update gatewarden_budget_window w
  set held_nanos = w.held_nanos - closed.nanos, full_held_nanos = w.full_held_nanos - closed.full_nanos
  from closed, locked l where w.id = l.id;
end
$body$;
`
} as const
