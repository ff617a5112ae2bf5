-- The value that stands for all values of a stretch of a sketch.
create or replace function gatewarden_sketched_value(part bigint)
returns double precision language sql immutable parallel safe as $body$
  select case part >> 48 when 0 then 0 else 2.0 / 2.02 * power(1.02::float8, (part >> 48) - 2048) end
$body$
