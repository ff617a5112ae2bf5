-- Sums days of usage from their events, at most so many days of accounts; answers how many.
--
-- A day is summed by the coarse sets once it has many events, and by all sets once it is over: by those that are worth it. A day that is over
-- and changed a moment ago waits for more. Days before `dropped_before`, whose events are to be dropped, are summed by all sets by day.
--
-- One call has a few seconds, so a day of very many events has the coarse sets alone, or none.
create or replace function gatewarden_sum_usage_days(now timestamptz, dropped_before date, at_most int)
returns int language plpgsql set jit = off set work_mem = '32MB' as $body$
declare
  done int := 0;
  due record;
  useful smallint[];
  today constant date := ((now - interval '1 hour') at time zone 'UTC')::date;
  -- The events of earlier days were dropped.
  known_from constant date := (gatewarden_usage_horizon() at time zone 'UTC')::date;
  -- What waits is in no sum until it is taken out of there.
  events constant text := 'gatewarden_usage_event e
    where e.account_id = $1 and e.created_at >= $2 and e.created_at < $2 + interval ''1 day'' and not exists (
      select from gatewarden_usage_unfolded u where u.account_id = e.account_id and u.created_at = e.created_at and u.id = e.id
    )';
begin
  for due in
    (
      select d.account_id, d.day, false as is_over, false as is_whole from gatewarden_usage_day d
      where not d.is_closed and d.kept = '{}' and d.events between 2000 and 600000 and d.day >= today limit at_most + 20
    )
    union all
    (
      select d.account_id, d.day, d.events <= 200000, false from gatewarden_usage_day d
      where not d.is_closed and d.day < today and d.day >= known_from and d.changed_at < now - interval '1 minute'
        and (d.events <= 200000 or d.kept = '{}' and d.events <= 600000)
      order by d.day desc limit at_most + 20
    )
    union all
    (
      select d.account_id, d.day, true, true from gatewarden_usage_day d
      where not d.is_whole and d.day < dropped_before and d.day >= known_from order by d.day limit at_most + 20
    )
  loop
    exit when done >= at_most;
    -- The days of an account that others work on are left, and do not hold up the others.
    continue when not pg_try_advisory_xact_lock(gatewarden_fold_lock(due.account_id));
    delete from gatewarden_usage_cell c where c.account_id = due.account_id
      and c.bucket >= due.day::timestamp at time zone 'UTC' and c.bucket < (due.day + 1)::timestamp at time zone 'UTC';
    delete from gatewarden_usage_spread c where c.account_id = due.account_id
      and c.bucket >= due.day::timestamp at time zone 'UTC' and c.bucket < (due.day + 1)::timestamp at time zone 'UTC';
    execute 'with event as materialized (
      select e.*, ' || gatewarden_summed_columns() || ' from ' || events || '
    )
    select coalesce(array_agg(number order by number), ''{}'') from ('
      || (
        select string_agg(
          'select ' || number || '::smallint as number, (select count(*) from (select from event group by ' || concat_ws(
            ', ', 'workspace_id', case when is_day then 'day' else 'hour' end, nullif(array_to_string(dimensions, ', '), '')
          ) || ') cell) as cells', ' union all '
        )
        from gatewarden_cell_sets() where due.is_over or number = any (gatewarden_coarse_sets())
      )
      || ') counted
      where gatewarden_is_useful_set(cells, (select count(*) from event)) or $3 and number < 128'
      into useful using due.account_id, due.day::timestamp at time zone 'UTC', due.is_whole;
    if useful <> '{}' then
      execute 'with batch as materialized (
        select e.*, ' || gatewarden_summed_columns() || ', $3 as kept from ' || events || '
      )' || gatewarden_cell_parts('batch', useful) || coalesce(gatewarden_spread_parts('batch', useful), '') || ' select'
        using due.account_id, due.day::timestamp at time zone 'UTC', useful;
    end if;
    update gatewarden_usage_day d set kept = useful, is_closed = due.is_over, is_whole = due.is_whole
    where d.account_id = due.account_id and d.day = due.day;
    done := done + 1;
  end loop;
  return done;
end
$body$
