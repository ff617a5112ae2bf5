-- Counts so many requests of one kind, each in every bucket, or in none if one of them is full. Answers, for each bucket, how many count,
-- when the requests were that count now, oldest first, and the instant at which it was decided: once nobody else can count in these
-- buckets, so that instants are in the order of decisions. A window is so many milliseconds, or null for the UTC day. Rows are locked in
-- one order, whatever order they are asked for in.
create or replace function gatewarden_count_request(
  asked_buckets text[], quotas int[], windows bigint[], asked_at timestamptz, requests int
)
returns table (asked_bucket text, admitted int, counted bigint[], at_millis bigint) language plpgsql as $body$
declare
  now_millis bigint;
  found_buckets int;
begin
  -- A bucket that a sweep deletes in between is made again.
  loop
    insert into gatewarden_rate_limit (bucket, times)
      select asked.name, '{}' from unnest(asked_buckets) as asked (name) order by asked.name
      on conflict (bucket) do nothing;
    perform from gatewarden_rate_limit where bucket = any (asked_buckets) order by bucket for update;
    get diagnostics found_buckets = row_count;
    exit when found_buckets = (select count(distinct asked.name) from unnest(asked_buckets) as asked (name));
  end loop;
  now_millis := floor(extract(epoch from coalesce(asked_at, clock_timestamp())) * 1000)::bigint;
  return query
    with kept as (
      select asked.name, asked.quota,
        array(
          select at from unnest(held.times) with ordinality as t (at, place)
          where at > now_millis - coalesce(asked.millis, now_millis % 86400000 + 1) order by place
        ) as times
      from unnest(asked_buckets, quotas, windows) as asked (name, quota, millis)
      join gatewarden_rate_limit held on held.bucket = asked.name
    ), verdict as (
      select greatest(0, least(requests, min(kept.quota - cardinality(kept.times)))) as passed from kept
    ), written as (
      update gatewarden_rate_limit held set times = kept.times || array_fill(now_millis, array[verdict.passed])
      from kept, verdict where verdict.passed > 0 and held.bucket = kept.name
    )
    select kept.name, verdict.passed, kept.times || array_fill(now_millis, array[verdict.passed]), now_millis
    from kept, verdict;
end
$body$
