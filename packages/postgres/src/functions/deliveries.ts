import { type SelectedEvents, type UsageEvent, keptAttempts } from "@gatewarden/core/store"
import type { SqlFunction } from "./SqlFunction.ts"

/**
 * Moves the position of a destination under its lease, keeps dead letters, notes the attempt, and removes the rows of the stream that wait for nobody else.
 *
 * Of several destinations of a workspace the last one to pass a row removes it. One at a time passes rows of a workspace, and each statement
 * sees what was committed before it, so two that pass the same row cannot both leave it.
 */
export const acknowledgeDelivery: SqlFunction = {
  name: "gatewarden_acknowledge_delivery",
  sql: `
create or replace function gatewarden_acknowledge_delivery(
  own_destination uuid, own_token bigint, asked_at timestamptz, lease_seconds float8, to_xact xid8, to_seq bigint,
  accepted bigint, letters json, answered boolean, answer_status int, answer_message text, attempt json
)
returns boolean language plpgsql as $body$
declare
  at timestamptz := coalesce(asked_at, clock_timestamp());
  own gatewarden_delivery_state;
begin
  select * into own from gatewarden_delivery_state s
  where s.destination_id = own_destination and s.token = own_token and s.lease_until is not null for update;
  if not found then
    return false;
  end if;
  update gatewarden_delivery_state s set
    xact = case when (to_xact, to_seq) > (own.xact, own.seq) then to_xact else own.xact end,
    seq = case when (to_xact, to_seq) > (own.xact, own.seq) then to_seq else own.seq end,
    lease_until = at + lease_seconds * interval '1 second',
    failures = case when accepted > 0 then 0 else s.failures end,
    failing_since = case when accepted > 0 then null else s.failing_since end,
    is_open = s.is_open and accepted = 0,
    refusals = case when accepted > 0 then 0 when answered then s.refusals + coalesce(json_array_length(letters), 0) else s.refusals end,
    refusing_since = case when accepted > 0 then null
      when answered and json_array_length(letters) > 0 then coalesce(s.refusing_since, at) else s.refusing_since end,
    last_at = case when answered then at else s.last_at end,
    last_status = case when answered then answer_status else s.last_status end,
    last_message = case when answered then answer_message else s.last_message end,
    delivered_at = case when accepted > 0 then at else s.delivered_at end,
    attempts = s.attempts + case when attempt is null then 0 else 1 end,
    delivered = s.delivered + accepted,
    dead = s.dead + coalesce(json_array_length(letters), 0)
  where s.destination_id = own_destination;
  if letters is not null then
    -- An erasure that renames one of these events waits for this transaction and finds the letter; or this one waits for it.
    perform from gatewarden_usage_event e
    where e.account_id = own.account_id
      and e.id = any (array(select l.event_id from json_to_recordset(letters) as l (event_id text)))
    order by e.id for share;
    -- What was read of an event before its person was erased is not kept.
    insert into gatewarden_dead_letter
      (destination_id, account_id, workspace_id, died_at, event_id, status, message, sealed_bodies)
    select own_destination, own.account_id, own.workspace_id, at, l.event_id, l.status,
      l.message, case when not l.is_erased then l.sealed_bodies end
    from (
      select d.*, exists (
        select from gatewarden_usage_event e
        join gatewarden_erasure x on x.account_id = e.account_id and x.pseudonym in (e.user_id, e.external_user)
        where e.account_id = own.account_id and e.id = d.event_id
      ) as is_erased
      from json_to_recordset(letters) as d (event_id text, status int, message text, sealed_bodies bytea)
    ) l
    order by l.event_id
    on conflict (destination_id, event_id) do update set died_at = excluded.died_at, status = excluded.status,
      message = excluded.message, sealed_bodies = excluded.sealed_bodies;
  end if;
  if attempt is not null then
    perform gatewarden_note_attempt(own_destination, own.account_id, own.attempts, at, attempt);
  end if;
  if (to_xact, to_seq) <= (own.xact, own.seq) then
    return true;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('gatewarden/delivery/' || own.workspace_id, 0));
  delete from gatewarden_delivery r
  where r.workspace_id = own.workspace_id and (r.xact, r.seq) > (own.xact, own.seq) and (r.xact, r.seq) <= (to_xact, to_seq)
    and own_destination = any (r.destinations)
    and (cardinality(r.destinations) = 1 or not exists (
      select from unnest(r.destinations) o (id)
      join gatewarden_destination d on d.id = o.id
      left join gatewarden_delivery_state s on s.destination_id = o.id
      where o.id <> own_destination and ((s.xact, s.seq) < (r.xact, r.seq)) is not false
    ));
  return true;
end
$body$
`
}

/** Makes a destination due when it changes: with another config it may accept what waits, and what waits for a deleted one is removed. */
export const wakeDelivery: SqlFunction = {
  name: "gatewarden_wake_delivery",
  sql: `
create or replace function gatewarden_wake_delivery()
returns trigger language plpgsql as $body$
begin
  update gatewarden_delivery_state s set due_at = '-infinity'
  where s.destination_id = old.id and (s.due_at is not null or tg_op = 'DELETE');
  return null;
end
$body$
`
}

/** Writes an attempt into the delivery log, in the place of the oldest one where the log of the destination is full. */
export const noteAttempt: SqlFunction = {
  name: "gatewarden_note_attempt",
  sql: `
create or replace function gatewarden_note_attempt(
  own_destination uuid, own_account uuid, attempts_before bigint, at timestamptz, attempt json
)
returns void language sql as $body$
  insert into gatewarden_delivery_attempt (
    destination_id, slot, account_id, number, ended_at,
    outcome, events, accepted, refused, rejected_spans, duration_ms, status, message
  )
  select own_destination, attempts_before % ${keptAttempts}, own_account, attempts_before + 1, at,
    t.outcome, t.events, t.accepted, t.refused, t.rejected_spans, t.duration_ms, t.status, t.message
  from json_to_record(attempt) as t (
    outcome text, events int, accepted int, refused int, rejected_spans bigint, duration_ms bigint, status int, message text
  )
  on conflict (destination_id, slot) do update set number = excluded.number, ended_at = excluded.ended_at,
    outcome = excluded.outcome, events = excluded.events, accepted = excluded.accepted, refused = excluded.refused,
    rejected_spans = excluded.rejected_spans, duration_ms = excluded.duration_ms, status = excluded.status,
    message = excluded.message
$body$
`
}

/**
 * Runs of selected events: those that follow each other, were recorded together and are for the same destinations. A run is one row of the
 * stream of deliveries. An event with bodies is a run of its own, because bodies go when their event was delivered.
 *
 * The sequence of the stream leaves room for a few more.
 */
const mostTogether = 1_000

/** For each event the number of the first one of its run, from 1 on; `null` for an event that nobody receives. */
export const runsOf = (events: readonly UsageEvent[], selected: SelectedEvents): readonly (number | null)[] => {
  let run = 0
  let size = 0
  let first: UsageEvent | undefined
  let destinations: readonly string[] | undefined
  return events.map((event, index) => {
    const one = selected.get(event)
    if (one === undefined || one.destinations.length === 0) return null
    const isAlike =
      one.destinations === destinations &&
      size < mostTogether &&
      event.workspace_id === first?.workspace_id &&
      event.recorded_at === first.recorded_at
    if (!isAlike || one.sealed_bodies !== null) {
      run = index + 1
      size = 0
      first = event
      destinations = one.sealed_bodies === null ? one.destinations : undefined
    }
    size++
    return run
  })
}

/**
 * Inserts the rows of runs, in their order, from a table or query with `run`, `place`, `account_id`, `workspace_id`, `recorded_at`, `id`,
 * `destinations` as text and `sealed_bodies`. What is alike in a run is taken from any of its events.
 */
export const insertRuns = (source: string): string => `
    insert into gatewarden_delivery
      (account_id, workspace_id, recorded_at, event_id, following_ids, events, destinations, sealed_bodies)
    select r.account_id, r.workspace_id, r.recorded_at, r.ids[1], r.ids[2:], cardinality(r.ids), r.destinations::uuid[], r.sealed_bodies
    from (
      select e.run, array_agg(e.id order by e.place) as ids, (array_agg(e.account_id))[1] as account_id,
        (array_agg(e.workspace_id))[1] as workspace_id, (array_agg(e.recorded_at))[1] as recorded_at,
        (array_agg(e.destinations))[1] as destinations, (array_agg(e.sealed_bodies))[1] as sealed_bodies
      from ${source} e where e.run is not null group by e.run
    ) r order by r.run`

/** How many events of a row lie behind a position. The places of a row's events end with its own. */
export const eventsAfter = (row: string, xact: string, seq: string): string =>
  `case when ${row}.xact = ${xact} then least(${row}.events, ${row}.seq - ${seq}) else ${row}.events end`

/** Forgets recipients of mail that no channel of their account names any more. */
export const forgetRecipients: SqlFunction = {
  name: "gatewarden_forget_recipients",
  sql: `
create or replace function gatewarden_forget_recipients()
returns trigger language plpgsql as $body$
begin
  delete from gatewarden_mail_recipient r
  using (select distinct account_id from removed where type = 'email') changed
  where r.account_id = changed.account_id and not exists (
    select from gatewarden_alert_channel c cross join lateral json_array_elements_text(c.config -> 'to') as named (address)
    where c.account_id = r.account_id and lower(named.address) = r.address
  );
  return null;
end
$body$
`
}
