-- The place of the stretch of values that has a value, from 0 to 4095: the ends of a stretch are 2 % apart, and 0 is one of its own.
create or replace function gatewarden_sketched_place(value double precision)
returns bigint language sql immutable parallel safe as $body$
  select case when value > 0 then greatest(1, least(4095, 2048 + ceil(ln(value) / 0.019802627296179713)))::bigint else 0 end
$body$
