-- Decides requests one after another on locked windows, each on what those before it have left, and records the warnings that are due.
--
-- Windows are arrays in the order of their ids; `slots` has the slot of each. A request names the slots of its budgets, and in `own` the
-- places of its spenders: it holds in every window of theirs. The states of the budgets are answered one after another, of all requests.
create or replace function gatewarden_judge_holds(
  asked_account uuid, at timestamptz, lists text[], requests json, used text[], spenders int, slots int[], starts timestamptz[],
  spent numeric[], byok_spent numeric[], inout held numeric[], inout full_held numeric[],
  out nanos numeric[], out full_nanos numeric[], out taken int[], out state_starts timestamptz[], out state_spent numeric[],
  out state_held numeric[], out warnings json[]
)
language plpgsql as $body$
declare
  places int[];
  place int;
  r record;
  hold record;
  own_spent numeric[];
  own_held numeric[];
  short int[];
  kind text;
  kinds text[];
  warning json;
  -- What requests of the same list were warned of: what was spent stays as it is while requests are decided.
  told text[] := '{}';
begin
  taken := '{}';
  warnings := '{}';
  -- By slot, where its window is.
  for f in 1 .. cardinality(slots) loop
    places[slots[f]] := f;
  end loop;
  for r in
    select * from rows from (json_to_recordset(requests) as (id text, list int, workspace_id uuid, own int[], budget_slots int[],
      limits numeric[], counts_byok boolean[], costs numeric[], is_byok boolean[])) with ordinality
      as q (id, list, workspace_id, own, budget_slots, limits, counts_byok, costs, is_byok, n)
  loop
    own_spent := '{}';
    own_held := '{}';
    for b in 1 .. cardinality(r.budget_slots) loop
      place := places[r.budget_slots[b]];
      own_spent[b] := gatewarden_counted(spent[place], byok_spent[place], r.counts_byok[b]);
      own_held[b] := case when r.counts_byok[b] then full_held[place] else held[place] end;
      state_starts := state_starts || starts[place];
    end loop;
    state_spent := state_spent || own_spent;
    state_held := state_held || own_held;
    select * into hold from gatewarden_judge_hold(r.limits, r.counts_byok, own_spent, own_held, r.costs, r.is_byok);
    if hold.full_nanos is not null and r.id = any (used) then
      taken := taken || r.n::int;
      hold.full_nanos := null;
    else
      short := '{}';
      if hold.full_nanos is null then
        short := gatewarden_short_budgets(r.limits, r.counts_byok, own_spent, own_held, r.costs, r.is_byok);
      end if;
      for b in 1 .. cardinality(r.budget_slots) loop
        kinds := gatewarden_due(r.limits[b], own_spent[b]);
        if b = any (short) then
          kinds := kinds || 'denied'::text;
        end if;
        foreach kind in array kinds loop
          continue when concat_ws(' ', r.list, b, kind) = any (told);
          told := told || concat_ws(' ', r.list, b, kind);
          warning := gatewarden_warn(asked_account, r.workspace_id, kind, lists[r.list]::jsonb -> (b - 1),
            starts[places[r.budget_slots[b]]], own_spent[b], own_held[b], at);
          warnings := case when warning is null then warnings else warnings || warning end;
        end loop;
      end loop;
    end if;
    nanos[r.n] := case when hold.full_nanos is not null then hold.nanos end;
    full_nanos[r.n] := hold.full_nanos;
    continue when hold.full_nanos is null;
    used := used || r.id;
    foreach place in array r.own loop
      continue when place is null;
      for slot in place .. coalesce(array_upper(places, 1), 0) by spenders loop
        continue when places[slot] is null;
        held[places[slot]] := held[places[slot]] + hold.nanos;
        full_held[places[slot]] := full_held[places[slot]] + hold.full_nanos;
      end loop;
    end loop;
  end loop;
end
$body$
