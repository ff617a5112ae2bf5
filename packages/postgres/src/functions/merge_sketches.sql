-- The sketch of the values of two sketches.
create or replace function gatewarden_merge_sketches(one bigint[], other bigint[])
returns bigint[] language sql immutable parallel safe as $body$
  select array_agg((place << 48) + times order by place)
  from (
    select part >> 48 as place, sum(part & ((1::bigint << 48) - 1))::bigint as times
    from unnest(one || other) part group by 1
  ) counted
$body$
