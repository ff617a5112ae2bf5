-- The place of an interval among all of them, from 1.
create or replace function gatewarden_interval_place(asked_interval text)
returns int language sql immutable as $body$
  select case asked_interval
    when 'daily' then 1
    when 'weekly' then 2
    when 'monthly' then 3
    when 'lifetime' then 4
    else gatewarden_refuse_interval(asked_interval)
  end
$body$
