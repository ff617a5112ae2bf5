-- The value that stands for all values of a stretch.
create or replace function gatewarden_sketched_value(place bigint)
returns double precision language sql immutable parallel safe as $body$
  select case place when 0 then 0 else 2.0 / 2.02 * power(1.02::float8, place - 2048) end
$body$
