-- Takes events out of those that wait, of the accounts from one on, at most so many; answers how many. Those of days that have sums are
-- added to them. Accounts that others sum are left, and so are few events of the last minute: a reader has them cheaply, and summed
-- together they touch fewer cells.
create or replace function gatewarden_fold_usage(first_account uuid, now timestamptz, at_most int)
returns int language plpgsql set jit = off set work_mem = '32MB' as $body$
declare
  folded int := 0;
  account uuid;
  summed int;
begin
  for account in
    with recursive waiting as (
      (
        select account_id, created_at from gatewarden_usage_unfolded
        where account_id >= first_account order by account_id, created_at limit 1
      )
      union all
      select u.* from waiting w cross join lateral (
        select u.account_id, u.created_at from gatewarden_usage_unfolded u
        where u.account_id > w.account_id order by u.account_id, u.created_at limit 1
      ) u
    )
    select w.account_id from (select * from waiting limit 1000) w
    where w.created_at < now - interval '1 minute'
      or (select count(*) from (select from gatewarden_usage_unfolded u where u.account_id = w.account_id limit 1000) first_ones) = 1000
    limit 100
  loop
    continue when not pg_try_advisory_xact_lock(gatewarden_fold_lock(account));
    execute 'with due as (
      select ctid from gatewarden_usage_unfolded where account_id = $1 order by created_at limit $2 for update skip locked
    ), gone as (
      delete from gatewarden_usage_unfolded where ctid = any (array(select ctid from due)) returning account_id, created_at, id
    ), batch as materialized (
      select e.*, ' || gatewarden_summed_columns() || ', ' || gatewarden_sets_of_event() || '
      from gone g join gatewarden_usage_day d on d.account_id = g.account_id and d.day = (g.created_at at time zone ''UTC'')::date
      join gatewarden_usage_event e on e.account_id = g.account_id and e.created_at = g.created_at and e.id = g.id
      where d.kept <> ''{}'' or d.making <> ''{}''
    )' || gatewarden_cell_parts('batch', gatewarden_coarse_sets())
      || gatewarden_spread_parts('batch', gatewarden_coarse_sets()) || ', noted as materialized (
      select gatewarden_note_day($1, day, events, $3) from (
        select (created_at at time zone ''UTC'')::date as day, count(*) as events from gone group by 1 order by 1
      ) touched
    )
    select (select count(*) from gone) + 0 * (select count(*) from noted)' into summed using account, at_most - folded, now;
    folded := folded + summed;
    exit when folded >= at_most;
  end loop;
  return folded;
end
$body$
