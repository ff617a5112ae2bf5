-- Notes what statistics of endpoints count of recorded events. Events that were over a day old when they were recorded are in no window.
create or replace function gatewarden_note_measured()
returns trigger language plpgsql as $body$
begin
  insert into gatewarden_measured_event (
    account_id, created_at, latency_ms, throughput, is_ok, self_reported, model, variant, provider, endpoint_tag
  )
  select account_id, created_at, case when status = 'ok' then latency_ms end, case when status = 'ok' then throughput end,
    status = 'ok', self_reported is true, model, variant, provider, endpoint_tag
  from added
  where status in ('ok', 'error') and adjusts is null
    and created_at > (select max(recorded_at) - interval '25 hours' from added);
  return null;
end
$body$
