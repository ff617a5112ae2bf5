-- A sketch of values, from which a percentile is read with an error of at most 1 %: for each stretch of values, whose ends are 2 % apart, a
-- number with the place of the stretch in its upper bits and the count of values in its lower 48. Sketches of the same values are equal.
create or replace function gatewarden_sketch(measured double precision[])
returns bigint[] language sql immutable parallel safe as $body$
  select array_agg((place::bigint << 48) + times order by place)
  from (
    select case when v > 0 then greatest(1, least(4095, 2048 + ceil(ln(v) / ln(1.02)))) else 0 end as place, count(*) as times
    from unnest(measured) v group by 1
  ) counted
$body$
