-- Sums days of usage from their events, at most so many days of accounts, or a part of one that has more events than a call has time for;
-- answers how many days it worked on.
--
-- A day is summed by the coarse sets once it has many events, and by all sets once it is over: by those that are worth it. A day that is over
-- and changed a moment ago waits for more. Days before `dropped_before`, whose events are to be dropped, are summed by all sets by day.
create or replace function gatewarden_sum_usage_days(now timestamptz, dropped_before date, at_most int)
returns int language plpgsql set jit = off set work_mem = '32MB' as $body$
declare
  done int := 0;
  budget int := gatewarden_summed_at_once();
  due record;
  today constant date := ((now - interval '1 hour') at time zone 'UTC')::date;
  -- The events of earlier days were dropped.
  known_from constant date := (gatewarden_usage_horizon() at time zone 'UTC')::date;
begin
  for due in
    (
      select d.account_id, d.day, 'the day in progress' as aim from gatewarden_usage_day d
      where not d.is_closed and d.kept = '{}' and d.events >= greatest(2000, 2 * d.judged) and d.day >= today limit at_most + 20
    )
    union all
    (
      select d.account_id, d.day, 'the day that is over' from gatewarden_usage_day d
      where not d.is_closed and d.day < today and d.day >= known_from and d.changed_at < now - interval '1 minute'
      order by d.day desc limit at_most + 20
    )
    union all
    (
      select d.account_id, d.day, 'the events to be dropped' from gatewarden_usage_day d
      where not d.is_whole and d.day < dropped_before and d.day >= known_from order by d.day limit at_most + 20
    )
  loop
    exit when done >= at_most or budget <= 0;
    -- The days of an account that others work on are left, and do not hold up the others.
    continue when not pg_try_advisory_xact_lock(gatewarden_fold_lock(due.account_id));
    budget := budget - gatewarden_sum_part(due.account_id, due.day, due.aim, gatewarden_summed_at_once());
    done := done + 1;
  end loop;
  return done;
end
$body$
