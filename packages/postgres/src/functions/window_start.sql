-- The start of the window that holds an instant, in UTC whatever the session's time zone.
create or replace function gatewarden_window_start(asked_interval text, at timestamptz)
returns timestamptz language sql stable as $body$
  select case asked_interval
    when 'daily' then date_trunc('day', at, 'UTC')
    when 'weekly' then date_trunc('week', at, 'UTC')
    when 'monthly' then date_trunc('month', at, 'UTC')
    when 'lifetime' then '-infinity'::timestamptz
    else to_timestamp(gatewarden_refuse_interval(asked_interval))
  end
$body$
