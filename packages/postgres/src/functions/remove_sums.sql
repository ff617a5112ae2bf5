-- Removes the sums of a day of an account, but for some sets.
create or replace function gatewarden_remove_sums(account uuid, summed date, kept smallint[])
returns void language sql as $body$
  delete from gatewarden_usage_cell c
  where c.account_id = account and c.rollup + case when c.is_day then 0 else 128 end <> all (kept)
    and c.bucket >= summed::timestamp at time zone 'UTC' and c.bucket < (summed + 1)::timestamp at time zone 'UTC';
  delete from gatewarden_usage_spread s
  where s.account_id = account and s.rollup + case when s.is_day then 0 else 128 end <> all (kept)
    and s.bucket >= summed::timestamp at time zone 'UTC' and s.bucket < (summed + 1)::timestamp at time zone 'UTC'
$body$
