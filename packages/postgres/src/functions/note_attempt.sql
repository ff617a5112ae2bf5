-- Writes an attempt into the delivery log, in the place of the oldest one where the log of the destination is full.
create or replace function gatewarden_note_attempt(
  own_destination uuid, own_account uuid, attempts_before bigint, at timestamptz, attempt json
)
returns void language sql as $body$
  insert into gatewarden_delivery_attempt (
    destination_id, slot, account_id, number, ended_at,
    outcome, events, accepted, refused, rejected_spans, duration_ms, status, message
  )
  select own_destination, attempts_before % 500, own_account, attempts_before + 1, at,
    t.outcome, t.events, t.accepted, t.refused, t.rejected_spans, t.duration_ms, t.status, t.message
  from json_to_record(attempt) as t (
    outcome text, events int, accepted int, refused int, rejected_spans bigint, duration_ms bigint, status int, message text
  )
  on conflict (destination_id, slot) do update set number = excluded.number, ended_at = excluded.ended_at,
    outcome = excluded.outcome, events = excluded.events, accepted = excluded.accepted, refused = excluded.refused,
    rejected_spans = excluded.rejected_spans, duration_ms = excluded.duration_ms, status = excluded.status,
    message = excluded.message
$body$
