-- Replaces the name of a person in sums of usage, once no event has it any more. A day that was summed when some of the events had the
-- other name has cells of both: its sets with persons go, and are made again.
create or replace function gatewarden_erase_usage_cells(account uuid, kind text, name text, pseudonym text)
returns void language plpgsql as $body$
declare
  with_persons constant smallint[] := array[1, 16, 80];
begin
  perform pg_advisory_xact_lock(gatewarden_fold_lock(account));
  with named as materialized (
    select distinct c.bucket, case kind when 'user' then c.user_id else c.external_user end as person from gatewarden_usage_cell c
    where c.account_id = account and c.rollup = any (with_persons) and c.is_day
      and case kind when 'user' then c.user_id else c.external_user end in (name, pseudonym)
  ), mixed as (
    select bucket from named group by bucket having count(*) = 2
  ), gone as (
    delete from gatewarden_usage_cell c
    where c.account_id = account and c.rollup = any (with_persons) and c.is_day and c.bucket in (select bucket from mixed)
  )
  update gatewarden_usage_day d set
    is_closed = false, is_whole = false, kept = array(select one from unnest(d.kept) one where one <> all (with_persons)),
    making = null, making_for = null, made = null
  where d.account_id = account and d.day in (select (bucket at time zone 'UTC')::date from mixed);
  update gatewarden_usage_cell c set
    user_id = case kind when 'user' then pseudonym else c.user_id end,
    external_user = case kind when 'user' then c.external_user else pseudonym end
  where c.account_id = account and c.rollup = any (with_persons) and c.is_day
    and case kind when 'user' then c.user_id else c.external_user end = name;
end
$body$
