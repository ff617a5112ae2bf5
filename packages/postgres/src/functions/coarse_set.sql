-- The number of a coarse set of cells, as an expression over groups: its roll-up, and 128 if it is by hour.
create or replace function gatewarden_coarse_set()
returns text language sql immutable as $body$
  select '(200 - grouping(hour) * 128 - grouping(model) * 64 - grouping(provider) * 8)'
$body$
