-- Moves the position of a destination under its lease, keeps dead letters, notes the attempt, and removes the rows of the stream that wait
-- for nobody else.
--
-- Of several destinations of a workspace the last one to pass a row removes it. One at a time passes rows of a workspace, and each
-- statement sees what was committed before it, so two that pass the same row cannot both leave it.
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
    perform from gatewarden_usage_events(
      own.account_id, array(select l.event_id from json_to_recordset(letters) as l (event_id text)),
      null::gatewarden_usage_event, 'for share');
    -- What was read of an event before its person was erased is not kept.
    insert into gatewarden_dead_letter
      (destination_id, account_id, workspace_id, died_at, event_id, status, message, sealed_bodies)
    select own_destination, own.account_id, own.workspace_id, at, l.event_id, l.status,
      l.message, case when not l.is_erased then l.sealed_bodies end
    from (
      select d.*, exists (
        select from gatewarden_usage_events(own.account_id, array[d.event_id], null::gatewarden_usage_event) e
        join gatewarden_erasure x on x.account_id = e.account_id and x.pseudonym in (e.user_id, e.external_user)
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
