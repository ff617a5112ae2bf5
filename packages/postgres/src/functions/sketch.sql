-- A sketch of values, from which a percentile is read with an error of at most 1 %: for each stretch of values (`gatewarden_sketched_place`)
-- a number with its place in the upper bits and the count of values in the lower 48. Sketches of the same values are equal.
create or replace function gatewarden_sketch(measured double precision[])
returns bigint[] language sql immutable parallel safe as $body$
  select array_agg((place << 48) + times order by place)
  from (select gatewarden_sketched_place(v) as place, count(*) as times from unnest(measured) v group by 1) counted
$body$
