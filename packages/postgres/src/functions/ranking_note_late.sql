-- Notes the days that events were recorded for after they were folded.
create or replace function gatewarden_ranking_note_late()
returns trigger language plpgsql as $body$
declare
  touched date[];
begin
  select array_agg(distinct (created_at at time zone 'UTC')::date) into touched from added where self_reported is not true;
  if touched is null then
    return null;
  end if;
  perform pg_advisory_xact_lock_shared(1735684715, gatewarden_ranking_lock(day)) from unnest(touched) as days (day);
  if current_setting('transaction_isolation') <> 'read committed' then
    -- The snapshot is older than the lock, and a fold that began in between does not show.
    insert into gatewarden_ranking_late (day) select day from unnest(touched) as days (day);
  elsif exists (select from gatewarden_ranking_day where day = any (touched)) then
    insert into gatewarden_ranking_late (day)
    select day from gatewarden_ranking_day folded
    where day = any (touched) and not exists (select from gatewarden_ranking_late late where late.day = folded.day);
  end if;
  return null;
end
$body$
