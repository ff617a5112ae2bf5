-- The events of an account by their ids, wherever they lie; `wanted` is a null row of the table of events, as functions are created before
-- tables. `locking`: nothing, or how rows are locked, in the order of their ids.
--
-- The instants come first and the statement is planned with them: it opens the partitions between them and no others.
create or replace function gatewarden_usage_events(asked_account uuid, ids text[], wanted anyelement, locking text default '')
returns setof anyelement language plpgsql
  -- A session keeps the plans that it made first, perhaps for empty tables: these look rows up by keys whatever statistics say.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  known_ids text[];
  times timestamptz[];
  first timestamptz;
  last timestamptz;
begin
  select array_agg(asked.id), array_agg(i.created_at), min(i.created_at), max(i.created_at) into known_ids, times, first, last
  from unnest(ids) as asked (id) join gatewarden_usage_id i on i.key = gatewarden_usage_key(asked_account, asked.id);
  if known_ids is null then
    return;
  end if;
  if cardinality(known_ids) = 1 then
    return query execute 'select e.* from gatewarden_usage_event e where e.account_id = $1 and e.created_at = $2 and e.id = $3 '
      || locking using asked_account, first, known_ids[1];
  else
    return query execute 'select e.* from unnest($4, $5) as k (at, id) join gatewarden_usage_event e
        on e.account_id = $1 and e.created_at = k.at and e.id = k.id
      where e.created_at >= $2 and e.created_at <= $3 order by k.id collate "C" '
      || case locking when '' then '' else locking || ' of e' end using asked_account, first, last, times, known_ids;
  end if;
end
$body$
