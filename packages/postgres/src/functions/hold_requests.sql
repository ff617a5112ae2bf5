-- Holds what requests of one account may cost, in one call, decided in their order.
--
-- `asked_spenders` and `entities` are the spenders of all requests and budgets. Each has a slot for each interval; the slots of one
-- interval stand together, so that a process that does not know an interval which was added means the same by its slots. `needed` are
-- the slots of budgets. `requests` are rows as `gatewarden_judge_holds` and the insert below read them; `list` is a place among `lists`.
--
-- Verdicts: `missing` if a window of a budget does not exist, `stale` if a hold has expired and was not released; both change nothing.
create or replace function gatewarden_hold_requests(
  asked_account uuid, asked_at timestamptz, is_swept boolean, is_enclosed boolean, patience int,
  asked_spenders text[], entities text[], needed int[], lists text[], requests json
)
returns json language plpgsql
  -- A session keeps the plans that it made first, perhaps for empty tables: these look rows up by keys whatever statistics say.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  at timestamptz := coalesce(asked_at, now());
  slotted record;
  windows record;
  judged record;
  list_ids bigint[];
  inserted int;
begin
  if patience is not null then
    perform set_config('lock_timeout', patience::text, true);
  end if;
  -- A transaction that opens windows itself must not hold the lock of those that record.
  if is_enclosed and not needed <@ (select f.slots from gatewarden_slots_at(asked_account, asked_spenders, entities, at) f) then
    return json_build_object('verdict', 'missing');
  end if;
  if not is_swept and exists (
    select from gatewarden_hold h where h.account_id = asked_account and h.state = 'open' and h.expires_at <= at
  ) then
    return json_build_object('verdict', 'stale');
  end if;
  list_ids := gatewarden_keep_budgets(asked_account, lists, at);
  perform gatewarden_enter_ledger(asked_account);
  select * into slotted from gatewarden_slots_at(asked_account, asked_spenders, entities, at);
  select coalesce(array_agg(l.id), '{}') as ids, array_agg(l.window_start) as starts, array_agg(l.spent_nanos) as spent,
    array_agg(l.byok_spent_nanos) as byok_spent, array_agg(l.held_nanos) as held, array_agg(l.full_held_nanos) as full_held
  into windows
  from (select * from gatewarden_budget_window w where w.id = any (slotted.ids) order by w.id for update) l;
  if windows.ids <> slotted.ids or not needed <@ slotted.slots then
    return json_build_object('verdict', 'missing');
  end if;
  select * into judged from gatewarden_judge_holds(asked_account, at, lists, requests, gatewarden_used_ids(asked_account, requests),
    cardinality(asked_spenders), slotted.slots, windows.starts, windows.spent, windows.byok_spent, windows.held, windows.full_held);
  insert into gatewarden_hold
    (admission_id, account_id, held_at, expires_at, state, nanos, full_nanos, key_hash, user_id, workspace_id, budget_list_id,
      member, is_plain, size, is_charged_on_expiry)
  select r.id, asked_account, at, at + r.seconds * interval '1 second', 'open', r.nanos, r.full_nanos, r.key_hash, r.user_id,
    r.workspace_id, list_ids[r.list], r.member, r.is_plain, r.size, r.is_charged_on_expiry
  from rows from (
    json_to_recordset(requests) as (id text, list int, key_hash text, user_id text, workspace_id uuid, seconds int, member text,
      is_plain boolean, size text, is_charged_on_expiry boolean),
    unnest(judged.nanos), unnest(judged.full_nanos)
  ) as r (id, list, key_hash, user_id, workspace_id, seconds, member, is_plain, size, is_charged_on_expiry, nanos, full_nanos)
  where r.full_nanos is not null order by r.id on conflict do nothing;
  get diagnostics inserted = row_count;
  if inserted <> cardinality(array_remove(judged.full_nanos, null)) then
    raise exception 'an id was held by another transaction meanwhile' using errcode = 'serialization_failure';
  end if;
  update gatewarden_budget_window w set held_nanos = n.held, full_held_nanos = n.full_held
  from unnest(windows.ids, judged.held, judged.full_held) as n (id, held, full_held)
  where w.id = n.id and w.id = any (windows.ids) and (w.held_nanos <> n.held or w.full_held_nanos <> n.full_held);
  return json_build_object('verdict', 'decided', 'at', floor(extract(epoch from at) * 1000)::bigint::text, 'lists', list_ids::text[],
    'nanos', judged.nanos::text[], 'full_nanos', judged.full_nanos::text[], 'taken', judged.taken,
    'starts', gatewarden_epochs(judged.state_starts), 'spent', judged.state_spent::text[], 'held', judged.state_held::text[],
    'warnings', judged.warnings);
end
$body$
