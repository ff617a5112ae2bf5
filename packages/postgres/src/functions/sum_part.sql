-- Sums the next events of a day of an account, at most so many; answers how many. After the last of them the day has the sets that are worth
-- keeping. The caller has the account's lock (`gatewarden_fold_lock`).
create or replace function gatewarden_sum_part(account uuid, summed date, aim text, at_most int)
returns int language plpgsql set jit = off set work_mem = '32MB' as $body$
declare
  state gatewarden_usage_day;
  start constant timestamptz := summed::timestamp at time zone 'UTC';
  past constant timestamptz := start + interval '1 day';
  -- What waits is in no sum until it is taken out of there.
  batch constant text := 'batch as materialized (
    select e.*, ' || gatewarden_summed_columns() || ', $6 as kept from gatewarden_usage_event e
    where e.account_id = $1 and e.created_at >= $2 and e.created_at <= $4 and (e.created_at, e.id) > ($2, $3)
      and (e.created_at, e.id) <= ($4, $5) and not exists (
        select from gatewarden_usage_unfolded u where u.account_id = e.account_id and u.created_at = e.created_at and u.id = e.id
      )
  )';
  useful constant text := '(gatewarden_is_useful_set(cells, $7) or $8 and number < 128)';
  is_dropped boolean;
  is_last boolean;
  passed int;
  last_at timestamptz;
  last_id text;
begin
  select * into state from gatewarden_usage_day d where d.account_id = account and d.day = summed;
  if state.making is null then
    perform gatewarden_remove_sums(account, summed, state.kept);
    state.making_for := aim;
    state.made := 0;
    state.made_at := start;
    state.made_id := '';
    state.making := array(
      select number from gatewarden_cell_sets()
      where number <> all (state.kept) and (aim <> 'the day in progress' or number = any (gatewarden_coarse_sets()))
        and (aim = 'the events to be dropped' and number < 128 or gatewarden_is_useful_set(0, state.events))
    );
  end if;
  is_dropped := state.making_for = 'the events to be dropped';
  execute 'select count(*), (array_agg(created_at order by created_at desc, id desc))[1], (array_agg(id order by created_at desc, id desc))[1]
    from (
      select e.created_at, e.id from gatewarden_usage_event e
      where e.account_id = $1 and e.created_at >= $2 and e.created_at < $3 and (e.created_at, e.id) > ($2, $4) and $5 <> ''{}''
      order by e.created_at, e.id limit $6
    ) e' into passed, last_at, last_id using account, state.made_at, past, state.made_id, state.making, at_most;
  if passed > 0 and state.made = 0 then
    -- Sets of which the first part has too many cells for the whole day are not begun.
    execute 'with ' || batch || ' select coalesce(array_agg(number order by number), ''{}'') from (' || (
      select string_agg(
        'select ' || number || '::smallint as number, (select count(*) from (select from batch group by ' || concat_ws(
          ', ', 'workspace_id', case when is_day then 'day' else 'hour' end, nullif(array_to_string(dimensions, ', '), '')
        ) || ') cell) as cells', ' union all '
      )
      from gatewarden_cell_sets() where number = any (state.making)
    ) || ') counted where ' || useful into state.making
      using account, state.made_at, state.made_id, last_at, last_id, state.making, state.events, is_dropped;
  end if;
  if passed > 0 and state.making <> '{}' then
    execute 'with ' || batch || gatewarden_cell_parts('batch', state.making)
      || coalesce(gatewarden_spread_parts('batch', state.making), '') || ' select'
      using account, state.made_at, state.made_id, last_at, last_id, state.making;
  end if;
  is_last := passed < at_most or state.making = '{}';
  -- Cells are counted as often as the events double.
  if state.made > 0 and (is_last or floor(log(2, state.made)) < floor(log(2, state.made + passed))) then
    execute 'select coalesce(array_agg(number order by number), ''{}'') from (
      select number, (
        select count(*) from gatewarden_usage_cell c
        where c.account_id = $1 and c.rollup = number & 127 and c.is_day = one.is_day and c.bucket >= $2 and c.bucket < $3
      ) as cells from gatewarden_cell_sets() one where number = any ($6)
    ) counted where ' || useful into state.making
      using account, start, past, null, null, state.making, state.events, is_dropped;
    is_last := is_last or state.making = '{}';
  end if;
  if is_last then
    if state.made > 0 then
      perform gatewarden_remove_sums(account, summed, state.kept || state.making);
    end if;
    update gatewarden_usage_day d set
      kept = array(select one from unnest(state.kept || state.making) one order by one),
      is_closed = d.is_closed or state.making_for <> 'the day in progress', is_whole = is_dropped,
      judged = case when state.making_for = 'the day in progress' then d.events else d.judged end,
      making = null, making_for = null, made = null
    where d.account_id = account and d.day = summed;
  else
    update gatewarden_usage_day d set
      making = state.making, making_for = state.making_for, made = state.made + passed, made_at = last_at, made_id = last_id
    where d.account_id = account and d.day = summed;
  end if;
  return passed;
end
$body$
