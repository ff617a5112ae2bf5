-- Notes recorded events as such that wait to be summed. Many at once are counted, and added to the days that have sums, at once.
create or replace function gatewarden_note_unfolded()
returns trigger language plpgsql set jit = off as $body$
declare
  account uuid;
begin
  -- Where others write the same cells, a snapshot that is older than their commit cannot.
  if current_setting('transaction_isolation') = 'read committed'
    and (select count(*) from (select from added limit 5000) first_ones) = 5000
  then
    for account in select distinct account_id from added order by 1 loop
      perform pg_advisory_xact_lock(gatewarden_fold_lock(account));
    end loop;
    execute 'with batch as (
      select e.*, ' || gatewarden_summed_columns() || ', ' || gatewarden_sets_of_event() || '
      from added e join gatewarden_usage_day d on d.account_id = e.account_id and d.day = (e.created_at at time zone ''UTC'')::date
      where d.kept <> ''{}'' or d.making <> ''{}''
    )' || gatewarden_cell_parts('batch', gatewarden_coarse_sets())
      || gatewarden_spread_parts('batch', gatewarden_coarse_sets()) || ' select';
    perform gatewarden_note_day(account_id, day, events, recorded) from (
      select account_id, (created_at at time zone 'UTC')::date as day, count(*) as events, max(recorded_at) as recorded
      from added group by 1, 2 order by 1, 2
    ) touched;
  else
    insert into gatewarden_usage_unfolded (account_id, created_at, id) select account_id, created_at, id from added;
  end if;
  return null;
end
$body$
