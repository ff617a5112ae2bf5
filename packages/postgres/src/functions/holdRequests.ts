/**
 * Holds what requests of one account may cost, in one call, decided in their order.
 *
 * A call first supposes that everything fits: every window has room for the largest cost of all its requests together and is below every
 * warning. It then needs no order among requests, and a few statements do all of them. Where that does not hold, the requests are decided one
 * after another, on what those before them have left in the locked windows.
 *
 * Entities are the spenders of all requests and budgets; each has a slot for each interval, with the least limits that budgets set there. The
 * slots of one interval stand together, so that a process that does not know an interval which was added means the same by its slots.
 * `added` is the most that all its requests may hold together. Lists are the distinct lists of budgets; the budgets of all stand one after
 * another, each with its slot, and so do the costs of all requests. What ends where is in `*_ends`; `own` has the places of a request's
 * spenders among entities. Nothing is locked unless every window that a budget needs is there and, unless it was swept, no hold has
 * expired unseen.
 */
import { spenders } from "@gatewarden/core/store"
import { type SqlFunction, byKeys } from "./SqlFunction.ts"

export const holdRequests: SqlFunction = {
  name: "gatewarden_hold_requests",
  sql: `
create or replace function gatewarden_hold_requests(
  asked_account uuid, asked_at timestamptz, is_swept boolean, is_simple boolean, is_enclosed boolean, patience int,
  spenders text[], entities text[], added numeric[], full_added numeric[], slot_limits numeric[], slot_full_limits numeric[],
  needed int, lists text[], list_ends int[], list_slots int[], limits numeric[], counts_byok boolean[], list_members text[],
  list_plain boolean[], ids text[], id_lists int[], keys text[], users text[], workspaces uuid[], own int[], seconds int[],
  most numeric[], full_most numeric[], cost_ends int[], costs numeric[], is_byok boolean[], kinds text[], percents int[],
  sizes text[], charged_on_expiry boolean[]
)
returns json language plpgsql ${byKeys} as $body$
declare
  at timestamptz := coalesce(asked_at, now());
  list_ids bigint[];
  used text[];
  found_needed int;
  asked_ids bigint[];
  found_ids bigint[];
  found_slots int[];
  found_added numeric[];
  found_full_added numeric[];
  fits boolean;
  starts timestamptz[];
  spent numeric[];
  byok_spent numeric[];
  held numeric[];
  full_held numeric[];
  seen json;
  slot_places int[];
  list_budgets jsonb;
  list int;
  first int;
  last int;
  first_cost int;
  place int;
  entity int;
  left_to_shared numeric;
  left_to_all numeric;
  amount numeric;
  full_amount numeric;
  budget_spent numeric;
  budget_held numeric;
  amounts numeric[];
  full_amounts numeric[];
  taken int[] := '{}';
  noticed int[] := '{}';
  refused int[] := '{}';
  warning json;
  warnings json[] := '{}';
begin
  if patience is not null then
    perform set_config('lock_timeout', patience::text, true);
  end if;
  -- Whoever opens windows within the same transaction must not have the lock of those that record already.
  if is_enclosed and (
    select count(*) from unnest(spenders, entities) with ordinality as e (spender, entity, n)
    cross join lateral (
      select w.interval from gatewarden_budget_window w
      where w.account_id = asked_account and w.spender = e.spender and w.entity = e.entity
        and w.window_end > at and w.window_start <= at offset 0
    ) w
    where coalesce(slot_limits[(gatewarden_interval_place(w.interval) - 1) * cardinality(spenders) + e.n],
      slot_full_limits[(gatewarden_interval_place(w.interval) - 1) * cardinality(spenders) + e.n]) is not null
  ) < needed then
    return json_build_object('verdict', 'missing');
  end if;
  if not is_swept and exists (
    select from gatewarden_hold h where h.account_id = asked_account and h.state = 'open' and h.expires_at <= at
  ) then
    return json_build_object('verdict', 'stale');
  end if;
  list_ids := gatewarden_keep_budgets(asked_account, lists, at);
  perform gatewarden_enter_ledger(asked_account);
  used := array(
    select h.admission_id from gatewarden_hold h where h.admission_id = any (ids)
    union all
    select e.id from gatewarden_usage_event e
    where e.id = any (ids) and (e.account_id = asked_account) is true and (e.charged_at is not null) is true
  );
  select array_agg(f.id), array_agg(f.slot), array_agg(f.added), array_agg(f.full_added),
    count(*) filter (where coalesce(slot_limits[f.slot], slot_full_limits[f.slot]) is not null)
  into asked_ids, found_slots, found_added, found_full_added, found_needed
  from (
    select w.id, ((gatewarden_interval_place(w.interval) - 1) * cardinality(spenders) + e.n)::int as slot, e.added, e.full_added
    from unnest(spenders, entities, added, full_added) with ordinality as e (spender, entity, added, full_added, n)
    cross join lateral (
      select w.id, w.interval from gatewarden_budget_window w
      where w.account_id = asked_account and w.spender = e.spender and w.entity = e.entity
        and w.window_end > at and w.window_start <= at offset 0
    ) w
    order by w.id
  ) f;
  if found_needed < needed then
    return json_build_object('verdict', 'missing');
  end if;
  select array_agg(l.id), array_agg(l.window_start), array_agg(l.spent_nanos), array_agg(l.byok_spent_nanos),
    array_agg(l.held_nanos), array_agg(l.full_held_nanos),
    bool_and(
      coalesce(l.spent_nanos + l.held_nanos + found_added[l.n] <= slot_limits[found_slots[l.n]]
        and l.spent_nanos * 100 < slot_limits[found_slots[l.n]] * percents[1], true)
      and coalesce(l.spent_nanos + l.byok_spent_nanos + l.full_held_nanos + found_full_added[l.n] <= slot_full_limits[found_slots[l.n]]
        and (l.spent_nanos + l.byok_spent_nanos) * 100 < slot_full_limits[found_slots[l.n]] * percents[1], true)
    )
  into found_ids, starts, spent, byok_spent, held, full_held, fits
  from (
    select w.*, array_position(asked_ids, w.id) as n from gatewarden_budget_window w
    where w.id = any (asked_ids) order by w.id for update
  ) l;
  if found_ids is distinct from asked_ids then
    return json_build_object('verdict', 'missing');
  end if;
  seen := json_build_object(
    'slots', found_slots,
    'starts', array(
      select case when isfinite(u.start) then (extract(epoch from u.start) * 1000)::bigint::text end
      from unnest(starts) with ordinality as u (start, n) order by u.n
    ),
    'spent', spent::text[], 'byok_spent', byok_spent::text[], 'held', held::text[], 'full_held', full_held::text[]
  );
  if is_simple and cardinality(used) = 0 and fits is not false then
    insert into gatewarden_hold
      (admission_id, account_id, held_at, expires_at, state, nanos, full_nanos, key_hash, user_id, workspace_id, budget_list_id,
        member, is_plain, size, is_charged_on_expiry)
    select r.id, asked_account, at, at + r.seconds * interval '1 second', 'open', r.most, r.full_most, r.key, r.user_id, r.workspace,
      list_ids[r.list], list_members[r.list], list_plain[r.list], r.size, r.is_charged
    from unnest(ids, seconds, most, full_most, keys, users, workspaces, id_lists, sizes, charged_on_expiry)
      as r (id, seconds, most, full_most, key, user_id, workspace, list, size, is_charged)
    order by r.id on conflict do nothing;
    get diagnostics place = row_count;
    if place < cardinality(ids) then
      raise exception 'an id was held by another transaction meanwhile' using errcode = 'serialization_failure';
    end if;
    update gatewarden_budget_window w set held_nanos = w.held_nanos + n.added, full_held_nanos = w.full_held_nanos + n.full_added
    from unnest(found_ids, found_added, found_full_added) as n (id, added, full_added)
    where w.id = n.id and w.id = any (found_ids) and n.full_added <> 0;
    return json_build_object('verdict', 'decided', 'at', floor(extract(epoch from at) * 1000)::bigint::text,
      'windows', seen, 'lists', list_ids::text[]);
  end if;

  amounts := array_fill(null::numeric, array[cardinality(ids)]);
  full_amounts := amounts;
  slot_places := array_fill(null::int, array[cardinality(slot_limits)]);
  for f in 1 .. coalesce(cardinality(found_slots), 0) loop
    slot_places[found_slots[f]] := f;
  end loop;
  for r in 1 .. cardinality(ids) loop
    list := id_lists[r];
    first := case when list = 1 then 1 else list_ends[list - 1] + 1 end;
    last := list_ends[list];
    first_cost := case when r = 1 then 1 else cost_ends[r - 1] + 1 end;
    left_to_shared := null;
    left_to_all := null;
    for b in first .. last loop
      place := slot_places[list_slots[b]];
      if counts_byok[b] then
        left_to_all := least(left_to_all, limits[b] - spent[place] - byok_spent[place] - full_held[place]);
      else
        left_to_shared := least(left_to_shared, limits[b] - spent[place] - held[place]);
      end if;
    end loop;
    amount := null;
    full_amount := null;
    for c in first_cost .. cost_ends[r] loop
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
      if ids[r] = any (used) then
        taken := taken || r;
        continue;
      end if;
      insert into gatewarden_hold
        (admission_id, account_id, held_at, expires_at, state, nanos, full_nanos, key_hash, user_id, workspace_id, budget_list_id,
          member, is_plain, size, is_charged_on_expiry)
      values (ids[r], asked_account, at, at + seconds[r] * interval '1 second', 'open', amount, full_amount, keys[r], users[r],
        workspaces[r], list_ids[list], list_members[list], list_plain[list], sizes[r], charged_on_expiry[r])
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
      list_budgets := lists[list]::jsonb;
      for b in first .. last loop
        place := slot_places[list_slots[b]];
        budget_spent := spent[place] + case when counts_byok[b] then byok_spent[place] else 0 end;
        budget_held := case when counts_byok[b] then full_held[place] else held[place] end;
        if limits[b] > 0 and list <> all (noticed) then
          for k in 1 .. cardinality(kinds) loop
            if budget_spent * 100 >= limits[b] * percents[k] then
              warning := gatewarden_warn(asked_account, workspaces[r], kinds[k], list_budgets -> b - first,
                starts[place], budget_spent, budget_held, at);
              warnings := case when warning is null then warnings else warnings || warning end;
            end if;
          end loop;
        end if;
        if full_amount is null and b <> all (refused) then
          for c in first_cost .. cost_ends[r] loop
            if budget_spent + budget_held + (case when is_byok[c] and not counts_byok[b] then 0 else costs[c] end) > limits[b] then
              refused := refused || b;
              warning := gatewarden_warn(asked_account, workspaces[r], 'denied', list_budgets -> b - first,
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
      for s in 1 .. ${spenders.length} loop
        entity := own[(r - 1) * ${spenders.length} + s];
        continue when entity is null;
        for slot in entity .. cardinality(slot_places) by cardinality(spenders) loop
          place := slot_places[slot];
          continue when place is null;
          held[place] := held[place] + amount;
          full_held[place] := full_held[place] + full_amount;
        end loop;
      end loop;
    end if;
  end loop;
  update gatewarden_budget_window w set held_nanos = n.held, full_held_nanos = n.full_held
  from unnest(found_ids, held, full_held) as n (id, held, full_held)
  where w.id = n.id and w.id = any (found_ids) and (w.held_nanos <> n.held or w.full_held_nanos <> n.full_held);
  return json_build_object('verdict', 'decided', 'at', floor(extract(epoch from at) * 1000)::bigint::text,
    'windows', seen, 'lists', list_ids::text[], 'amounts', amounts::text[], 'full_amounts', full_amounts::text[], 'taken', taken,
    'warnings', warnings);
end
$body$
`
}
