-- Makes the partitions that are missing for events of some days, and answers how many. Of a day that is long past the month has one, unless
-- days of it have some: so a report of many years makes few. Called before events of a day are first recorded, and ahead by background work.
--
-- Runs as the owner of the tables: whoever records may not make tables. A table is made apart and then attached, for which nobody waits
-- who reads or writes.
create or replace function gatewarden_open_usage_days(days date[])
returns int language plpgsql security definer set search_path from current as $body$
declare
  events constant oid := 'gatewarden_usage_event'::regclass;
  one date;
  first date;
  past date;
  name text;
  opened int := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('gatewarden/usage days', 0));
  for one in
    select distinct d from unnest(days) as d (d)
    where d >= '2020-01-01' and d >= (gatewarden_usage_horizon() at time zone 'UTC')::date order by d
  loop
    continue when to_regclass('gatewarden_usage_event_' || to_char(one, 'YYYYMMDD')) is not null
      or to_regclass('gatewarden_usage_event_' || to_char(one, 'YYYYMM')) is not null;
    first := one;
    past := one + 1;
    name := 'gatewarden_usage_event_' || to_char(one, 'YYYYMMDD');
    if one < (now() at time zone 'UTC')::date - 62 and not exists (
      select from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = events and starts_with(c.relname, 'gatewarden_usage_event_' || to_char(one, 'YYYYMM'))
    ) then
      first := date_trunc('month', one::timestamp)::date;
      past := (first + interval '1 month')::date;
      name := 'gatewarden_usage_event_' || to_char(one, 'YYYYMM');
    end if;
    execute format('create table %I (like gatewarden_usage_event including all)', name);
    execute format('alter table gatewarden_usage_event attach partition %I for values from (%L) to (%L)',
      name, first::text || 'T00:00:00Z', past::text || 'T00:00:00Z');
    opened := opened + 1;
  end loop;
  return opened;
end
$body$
