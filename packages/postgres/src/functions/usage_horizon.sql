-- The instant from which days are kept. Older events are taken for repetitions: whether they were recorded is known no more.
create or replace function gatewarden_usage_horizon()
returns timestamptz language sql stable as $body$
  select coalesce((select begins_at from gatewarden_usage_horizon), '-infinity')
$body$
