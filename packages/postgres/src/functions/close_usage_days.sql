-- Sums days that are over by the finer dimensions, at most so many days of accounts; answers how many it closed.
--
-- A roll-up is kept if its cells are few: at most a fifth of the events, which would otherwise be read in little more time. A day for which
-- something was recorded a moment ago waits for more. What is not summed yet opens the day again, so it is not counted here.
create or replace function gatewarden_close_usage_days(now timestamptz, at_most int)
returns int language plpgsql set jit = off set work_mem = '32MB' as $body$
declare
  closed int := 0;
  due record;
  useful smallint[];
  fine constant smallint[] := array[1, 2, 4, 16, 32, 72, 80, 96];
  events constant text := 'gatewarden_usage_event e
    where e.account_id = $1 and e.created_at >= $2 and e.created_at < $2 + interval ''1 day'' and not exists (
      select from gatewarden_usage_unfolded u where u.account_id = e.account_id and u.created_at = e.created_at and u.id = e.id
    )';
begin
  for due in
    select d.account_id, d.day, d.day::timestamp at time zone 'UTC' as start
    from gatewarden_usage_day d
    where d.kept is null and d.day < ((now - interval '1 hour') at time zone 'UTC')::date and d.changed_at < now - interval '10 minutes'
    order by d.day, d.account_id limit at_most
  loop
    continue when not pg_try_advisory_xact_lock(gatewarden_fold_lock(due.account_id));
    delete from gatewarden_usage_cell c
    where c.account_id = due.account_id and c.rollup = any (fine) and c.is_day and c.bucket = due.start;
    execute 'with cell as (
      select 127 - grouping(model, api_key_hash, user_id, provider, app, status, external_user) as rollup from ' || events || '
      group by workspace_id, ' || gatewarden_fine_sets() || '
    )
    select coalesce(array_agg(rollup order by rollup), ''{}'') from (
      select rollup from cell group by rollup having count(*) * 5 <= (select count(*) from ' || events || ')
    ) few' into useful using due.account_id, due.start;
    if useful <> '{}' then
      execute 'with timed as (
        select e.*, $2 as day, case when e.status = ''ok'' then e.latency_ms end as latency,
          case when e.status = ''ok'' then e.throughput end as speed
        from ' || events || '
      )' || gatewarden_cell_parts('timed', false, '$3') || ' select'
        using due.account_id, due.start, useful;
    end if;
    update gatewarden_usage_day d set kept = useful where d.account_id = due.account_id and d.day = due.day;
    closed := closed + 1;
  end loop;
  return closed;
end
$body$
