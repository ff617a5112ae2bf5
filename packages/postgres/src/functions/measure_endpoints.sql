-- Moves what statistics of endpoints count: events of minutes that are over into spans of a minute, at most so many, then minutes into
-- spans of an hour. Forgets what no window has any more. Answers how many rows it took; 0 where nothing is due.
--
-- An hour is made once its minutes are in no window of latencies, and a quarter of an hour later still: clocks of processes differ.
create or replace function gatewarden_measure_endpoints(now timestamptz, at_most int)
returns int language plpgsql set jit = off set work_mem = '32MB' as $body$
declare
  moved int;
  forgotten int;
begin
  with due as (
    select ctid from gatewarden_measured_event
    where created_at < date_bin('1 minute', now, 'epoch') - interval '1 minute'
    -- By the index, which forgets at once where deleted rows were.
    order by model, created_at limit at_most for update skip locked
  ), gone as (
    delete from gatewarden_measured_event where ctid = any (array(select ctid from due)) returning *
  ), model as (
    -- Accounts are summed together where none of them can ask for its own part.
    select account_id, model,
      exists (select from gatewarden_model m where m.slug = gone.model)
        and not exists (select from gatewarden_own_model o where o.account_id = gone.account_id and o.slug = gone.model) as is_shared
    from gone group by account_id, model
  ), event as (
    select case when m.is_shared and not g.self_reported and g.endpoint_tag not like 'private/%' is not false then null
        else g.account_id end as owner,
      date_bin('1 minute', g.created_at, 'epoch') as minute, g.*,
      (extract(epoch from g.created_at - date_bin('1 minute', g.created_at, 'epoch')) * 1000)::int as at
    from gone g join model m using (account_id, model)
  ), spans as (
    insert into gatewarden_measured_span (
      account_id, begins_at, last_at, ok, errors, is_hour, self_reported, model, variant, provider, endpoint_tag,
      ok_at, errors_at, latency_ms, throughput, latency_ms_sketch, throughput_sketch
    )
    select owner, minute, max(created_at), count(*) filter (where is_ok), count(*) filter (where not is_ok), false, self_reported,
      model, variant, provider, endpoint_tag,
      array_agg(at order by at) filter (where is_ok), array_agg(at order by at) filter (where not is_ok),
      array_agg(latency_ms order by at) filter (where is_ok), array_agg(throughput order by at) filter (where is_ok),
      case when count(*) filter (where is_ok) > 100
        then gatewarden_sketch(array_agg(latency_ms) filter (where latency_ms is not null)) end,
      case when count(*) filter (where is_ok) > 100
        then gatewarden_sketch(array_agg(throughput) filter (where throughput is not null)) end
    from event group by owner, self_reported, model, variant, provider, endpoint_tag, minute
  )
  select count(*) into moved from gone;
  if moved > 0 then
    return moved;
  end if;
  with hours as (
    select model, date_bin('1 hour', begins_at, 'epoch') as hour, sum(ok + errors) as requests from gatewarden_measured_span
    where not is_hour and begins_at < date_bin('1 hour', now - interval '45 minutes', 'epoch') group by 1, 2
  ), due as (
    select model, hour from (
      select model, hour, sum(requests) over (order by hour, model) - requests as before from hours
    ) h where before < at_most order by hour, model limit 100
  ), gone as (
    delete from gatewarden_measured_span s using due d
    where s.model = d.model and s.begins_at >= d.hour and s.begins_at < d.hour + interval '1 hour'
    returning s.*, d.hour, (extract(epoch from s.begins_at - d.hour) * 1000)::int as shift
  ), spans as (
    insert into gatewarden_measured_span (
      account_id, begins_at, last_at, ok, errors, is_hour, self_reported, model, variant, provider, endpoint_tag, ok_at, errors_at
    )
    select account_id, hour, max(last_at), count(*) filter (where is_ok), count(*) filter (where not is_ok), true, self_reported,
      model, variant, provider, endpoint_tag,
      array_agg(shift + at order by shift + at) filter (where is_ok), array_agg(shift + at order by shift + at) filter (where not is_ok)
    from gone cross join lateral (
      select at, true from unnest(ok_at) at union all select at, false from unnest(errors_at) at
    ) request (at, is_ok)
    group by account_id, hour, self_reported, model, variant, provider, endpoint_tag
  )
  select count(*) into moved from gone;
  with past as (
    delete from gatewarden_measured_span where begins_at < now - interval '26 hours' and ctid = any (array(
      select ctid from gatewarden_measured_span where is_hour and begins_at < now - interval '26 hours' limit at_most for update skip locked
    )) returning 1
  )
  select count(*) into forgotten from past;
  return moved + forgotten;
end
$body$
