/**
 * Counts requests by the database's clock: processes whose clocks differ would count each other's requests too long or not at all.
 * The function that took the caller's instants stays for processes of an older version.
 */
export const oneClock = {
  id: 32,
  name: "one_clock",
  sql: `
-- A window is so many milliseconds, or null for the UTC day. Answers, for each bucket, when the requests were that count, oldest first,
-- and the instant at which it was decided: once nobody else can count in these buckets, so that instants are in the order of decisions.
create function gatewarden_count_request(asked_buckets text[], quotas integer[], windows bigint[], asked_at timestamptz)
returns table (asked_bucket text, admitted boolean, counted bigint[], at_millis bigint) language plpgsql volatile as $body$
declare
  now_millis bigint;
begin
  insert into gatewarden_rate_limit (bucket, times)
    select asked.name, '{}' from unnest(asked_buckets) as asked (name) order by asked.name
    on conflict (bucket) do nothing;
  perform from gatewarden_rate_limit where bucket = any (asked_buckets) order by bucket for update;
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
      select bool_and(cardinality(kept.times) < kept.quota) as passed from kept
    ), written as (
      update gatewarden_rate_limit held set times = kept.times || now_millis
      from kept, verdict where verdict.passed and held.bucket = kept.name
    )
    select kept.name, verdict.passed, case when verdict.passed then kept.times || now_millis else kept.times end, now_millis
    from kept, verdict;
end
$body$;
`
} as const
