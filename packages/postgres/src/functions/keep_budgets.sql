-- Lists of budgets as JSON text, which are kept once; answers their ids in order.
--
-- About once a day a list notes that it is used. A sweep deletes lists that were not used for long: whoever uses such a list at the same
-- moment notes it first, or finds it gone and keeps it again.
create or replace function gatewarden_keep_budgets(asked_account uuid, lists text[], at timestamptz)
returns bigint[] language plpgsql
  -- A session keeps the plans that it made first, perhaps for empty tables: these look rows up by keys whatever statistics say.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  ids bigint[];
  unnoted bigint[];
  noted int;
begin
  for attempt in 1 .. 3 loop
    select array_agg(found.id order by found.n), array_agg(distinct found.id) filter (where found.used_at < at - interval '1 day')
    into ids, unnoted
    from (
      -- offset 0: each list is looked up by its key. Without it, the planner joins, and may read the whole table.
      select l.n, b.id, b.used_at from unnest(lists) with ordinality as l (list, n) left join lateral (
        select b.id, b.used_at from gatewarden_budget_list b
        where b.account_id = asked_account and b.digest = encode(sha256(convert_to(l.list, 'UTF8')), 'hex') offset 0
      ) b on true
    ) found;
    ids := coalesce(ids, '{}');
    if array_position(ids, null) is null then
      if unnoted is null then
        return ids;
      end if;
      perform from gatewarden_budget_list where id = any (unnoted) order by id for update;
      update gatewarden_budget_list set used_at = at where id = any (unnoted);
      get diagnostics noted = row_count;
      if noted = cardinality(unnoted) then
        return ids;
      end if;
      continue;
    end if;
    insert into gatewarden_budget_list (account_id, digest, budgets, used_at)
    select asked_account, encode(sha256(convert_to(l.list, 'UTF8')), 'hex'), l.list::jsonb, at from unnest(lists) as l (list)
    order by 2 on conflict do nothing;
  end loop;
  -- Another transaction has kept them, which the snapshot of this one does not show.
  raise exception 'budgets were kept by another transaction' using errcode = 'serialization_failure';
end
$body$
