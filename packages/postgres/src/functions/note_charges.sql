-- Keeps with each event what went over a limit, and records the warnings that are due. Answers both; `event_overdrafts` by event.
--
-- The columns are budgets, as `gatewarden_charge_windows` answers them. The type of `events` is left to the call.
create or replace function gatewarden_note_charges(
  asked_account uuid, at timestamptz, events anyarray, places int[], budgets jsonb[], starts timestamptz[], spent numeric[],
  overdrafts numeric[], out event_overdrafts json[], out warnings json[]
)
language plpgsql
  -- A session keeps the plans that it made first, perhaps for empty tables: these look rows up by keys whatever statistics say.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  one record;
  kind text;
  warning json;
begin
  event_overdrafts := array_fill(null::json, array[cardinality(events)]);
  warnings := '{}';
  for one in
    select p.n, array_agg(p.overdraft order by p.b) as above from unnest(places, overdrafts) with ordinality as p (n, overdraft, b)
    group by p.n having bool_or(p.overdraft is distinct from 0)
  loop
    event_overdrafts[one.n] := to_json(one.above::text[]);
    -- Planned for the instant of the event: a plan for any instant would open every partition.
    execute 'update gatewarden_usage_event e set overdrafts = $1 where e.account_id = $2 and e.created_at = $3 and e.id = $4'
      using one.above, asked_account, (events[one.n]).created_at, (events[one.n]).id;
  end loop;
  for b in 1 .. cardinality(places) loop
    -- A window that was deleted is charged no more.
    continue when overdrafts[b] is null;
    foreach kind in array gatewarden_due((budgets[b] ->> 'limit_nanos')::numeric, spent[b]) loop
      warning := gatewarden_warn(asked_account, (events[places[b]]).workspace_id, kind, budgets[b], starts[b], spent[b], null, at);
      warnings := case when warning is null then warnings else warnings || warning end;
    end loop;
  end loop;
end
$body$
