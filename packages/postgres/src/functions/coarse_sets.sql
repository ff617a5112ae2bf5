-- The coarse roll-ups, by hour and by day, as grouping sets.
create or replace function gatewarden_coarse_sets()
returns text language sql immutable as $body$
  select 'grouping sets ((hour), (day)), grouping sets ((), (model, variant), (provider, endpoint_tag))'
$body$
