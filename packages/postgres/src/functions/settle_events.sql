-- Records events of one account and charges what they cost, in one call.
--
-- `sent` are rows of the table of events as JSON, each of another id. Locks are taken in one order: the account's, holds, events by id,
-- windows by id.
create or replace function gatewarden_settle_events(asked_account uuid, asked_at timestamptz, patience int, sent json)
returns json language plpgsql
  -- A session keeps the plans that it made first, perhaps for empty tables: these look rows up by keys whatever statistics say.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  at timestamptz := coalesce(asked_at, now());
  events gatewarden_usage_event[] := array(select e from json_populate_recordset(null::gatewarden_usage_event, sent) e);
  ids text[] := array(select e.id from unnest(events) e);
  holds gatewarden_hold[];
  added text[];
  charged record;
  noted record;
begin
  select null::json[] as event_overdrafts, null::json[] as warnings into noted;
  if patience is not null then
    perform set_config('lock_timeout', patience::text, true);
  end if;
  perform gatewarden_enter_ledger(asked_account);
  with gone as materialized (
    delete from gatewarden_hold h
    where h.admission_id = any (ids) and (h.account_id = asked_account) is true and h.state <> 'settled' returning h
  )
  select array_agg(g.h order by e.n) into holds
  from unnest(ids) with ordinality as e (id, n) left join gone g on (g.h).admission_id = e.id;
  for r in 1 .. cardinality(ids) loop
    events[r].account_id := asked_account;
    continue when (holds[r]).admission_id is null;
    events[r].charged_at := (holds[r]).held_at;
    events[r].budget_list_id := (holds[r]).budget_list_id;
    events[r].held_nanos := (holds[r]).full_nanos;
    events[r].user_id := coalesce((holds[r]).member, (events[r]).user_id);
  end loop;
  added := gatewarden_record_settled(asked_account, events, ids, sent);
  -- The event replaces what was charged for the hold when it expired.
  insert into gatewarden_spent (account_id, spender, entity, day, charged_nanos, charged_byok_nanos)
  select asked_account, d.* from unnest(holds) h
  cross join lateral gatewarden_sums_of(h.key_hash, h.user_id, h.workspace_id, h.held_at, -h.nanos, h.nanos - h.full_nanos) d
  where h.state = 'charged';
  select * into charged from gatewarden_charge_windows(asked_account, events, holds, added);
  if charged.is_noted then
    select * into noted from gatewarden_note_charges(asked_account, at, events, charged.places, charged.budgets, charged.starts,
      charged.spent, charged.overdrafts);
  end if;
  -- What is held under an id that was recorded otherwise is given back; the first that was recorded counts.
  insert into gatewarden_hold (admission_id, account_id, held_at, expires_at, state, nanos, full_nanos, settlement)
  select h.admission_id, asked_account, h.held_at, at, 'settled', h.nanos, h.full_nanos, '{"charges":[],"overdraft_nanos":"0"}'
  from unnest(holds) h where h.admission_id is not null and h.admission_id <> all (added) order by h.admission_id;
  return json_build_object('outcomes', gatewarden_settled_outcomes(asked_account, ids, holds, added, noted.event_overdrafts),
    'warnings', coalesce(noted.warnings, '{}'));
end
$body$
