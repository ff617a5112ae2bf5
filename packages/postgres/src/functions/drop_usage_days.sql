-- Drops the oldest partition of usage whose days are all before one. Answers 1; 0 where there is none, or sums of it are still to be made;
-- -1 where somebody works on usage for longer than the patience, in milliseconds, for which others may wait behind this.
--
-- Whoever recorded an event of it has committed once the table is locked, and whoever comes later sees the horizon: such an event is taken
-- for a repetition. Runs as the owner of the tables, for the server alone.
create or replace function gatewarden_drop_usage_days(kept_from date, ranked_from date, patience int)
returns int language plpgsql security definer set search_path from current as $body$
declare
  one record;
  waits boolean;
begin
  if current_setting('role') = 'gatewarden_tenant' then
    raise insufficient_privilege using message = 'Usage is not dropped for an account';
  end if;
  select p.name, p.first, p.past into one
  from (
    select c.relname as name,
      case when d.digits is null then '-infinity' else to_date(d.digits, 'YYYYMMDD') end as first,
      case when d.digits is null then '2020-01-01'
        when length(d.digits) = 8 then to_date(d.digits, 'YYYYMMDD') + 1
        else (to_date(d.digits, 'YYYYMM') + interval '1 month')::date end as past
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    cross join lateral (select substring(c.relname from '_([0-9]{6,8})$') as digits) d
    where i.inhparent = 'gatewarden_usage_event'::regclass
  ) p where p.past <= kept_from order by p.past limit 1;
  if not found then
    return 0;
  end if;
  execute format('select exists (
    select from %I e where e.created_at >= $1::timestamp at time zone ''UTC'' and not exists (
      select from gatewarden_ranking_day r where r.day = (e.created_at at time zone ''UTC'')::date and r.folded))', one.name)
    into waits using ranked_from;
  if waits then
    return 0;
  end if;
  perform set_config('lock_timeout', patience::text, true);
  begin
    execute format('lock table gatewarden_usage_event, %I in access exclusive mode', one.name);
  exception when lock_not_available or deadlock_detected then
    return -1;
  end;
  if exists (select from gatewarden_ranking_late l where l.day >= greatest(one.first, ranked_from) and l.day < one.past)
    or exists (select from gatewarden_usage_day d where not d.is_whole and d.day >= one.first and d.day < one.past)
    or exists (select from gatewarden_usage_outgoing u where u.created_at < one.past::timestamp at time zone 'UTC')
    or exists (select from gatewarden_usage_unfolded u where u.created_at < one.past::timestamp at time zone 'UTC')
  then
    return 0;
  end if;
  insert into gatewarden_usage_horizon as h (begins_at) values (one.past::timestamp at time zone 'UTC')
  on conflict (is_kept) do update set begins_at = greatest(h.begins_at, excluded.begins_at);
  execute format('drop table %I', one.name);
  return 1;
end
$body$
