/** Lists of budgets as JSON text, which are kept once; answers their ids in order. */
import { byKeys, type SqlFunction } from "../../migrations/SqlFunction.ts"
import { intervalCount } from "../intervals.ts"

export const keepBudgets: SqlFunction = {
  name: "gatewarden_keep_budgets",
  sql: `
create or replace function gatewarden_keep_budgets(asked_account uuid, lists text[])
returns bigint[] language plpgsql ${byKeys} as $body$
declare
  ids bigint[];
begin
  for attempt in 1 .. 2 loop
    ids := array(
      select b.id from unnest(lists) with ordinality as l (list, n) left join lateral (
        select b.id from gatewarden_budget_list b
        where b.account_id = asked_account and b.digest = encode(sha256(convert_to(l.list, 'UTF8')), 'hex') offset 0
      ) b on true
      order by l.n
    );
    if array_position(ids, null) is null then
      return ids;
    end if;
    insert into gatewarden_budget_list (account_id, digest, budgets, limits, full_limits)
    select asked_account, encode(sha256(convert_to(l.list, 'UTF8')), 'hex'), l.list::jsonb, slots.limits, slots.full_limits
    from unnest(lists) as l (list) cross join lateral (
      select array_agg(s.least order by s.slot) as limits, array_agg(s.full_least order by s.slot) as full_limits
      from (
        select slot, min((b.budget ->> 'limit_nanos')::numeric) filter (where not (b.budget ->> 'include_byok')::boolean) as least,
          min((b.budget ->> 'limit_nanos')::numeric) filter (where (b.budget ->> 'include_byok')::boolean) as full_least
        from generate_series(1, ${3 * intervalCount}) as slot left join jsonb_array_elements(l.list::jsonb) as b (budget)
          on gatewarden_budget_slot(b.budget ->> 'scope', b.budget ->> 'interval') = slot
        group by slot
      ) s
    ) slots
    order by 2 on conflict do nothing;
  end loop;
  -- Another transaction has kept them, which the snapshot of this one does not show.
  raise exception 'budgets were kept by another transaction' using errcode = 'serialization_failure';
end
$body$
`
}
