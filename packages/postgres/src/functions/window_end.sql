-- The end of the window that starts at an instant, in UTC whatever the session's time zone.
create or replace function gatewarden_window_end(asked_interval text, start timestamptz)
returns timestamptz language sql stable as $body$
  select case asked_interval
    when 'daily' then date_trunc('day', ((start at time zone 'UTC') + interval '1 days') at time zone 'UTC', 'UTC')
    when 'weekly' then date_trunc('week', ((start at time zone 'UTC') + interval '7 days') at time zone 'UTC', 'UTC')
    when 'monthly' then date_trunc('month', ((start at time zone 'UTC') + interval '31 days') at time zone 'UTC', 'UTC')
    when 'lifetime' then 'infinity'::timestamptz
    else to_timestamp(gatewarden_refuse_interval(asked_interval))
  end
$body$
