import { spenders } from "@gatewarden/core/store"
import { type SqlFunction, byKeys } from "./SqlFunction.ts"
import { intervalCount, keptFrom } from "./intervals.ts"
import { spenderRows } from "./spenders.ts"

/** The same for whoever changes windows: fails, as what cannot be serialized does, where its snapshot is older than a window. */
export const enterLedger: SqlFunction = {
  name: "gatewarden_enter_ledger",
  sql: `
create or replace function gatewarden_enter_ledger(entered_account uuid)
returns bigint language plpgsql as $body$
declare
  opened_before bigint := gatewarden_enter_spending(entered_account);
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    -- The snapshot is older than the lock. Where a window was opened in between, this fails as what cannot be serialized does.
    insert into gatewarden_spending (account_id, opened) values (entered_account, 0) on conflict do nothing;
    perform from gatewarden_spending where account_id = entered_account for share;
  end if;
  return opened_before;
end
$body$
`
}

/** Keeps those away who open windows, until the end of the transaction; answers how many were opened before. */
export const enterSpending: SqlFunction = {
  name: "gatewarden_enter_spending",
  sql: `
create or replace function gatewarden_enter_spending(entered_account uuid)
returns bigint language plpgsql as $body$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('gatewarden/spending/' || entered_account, 0));
  return coalesce((select opened from gatewarden_spending where account_id = entered_account), 0);
end
$body$
`
}

/**
 * Lists of budgets as JSON text, which are kept once; answers their ids in order.
 *
 * About once a day a list notes that it is used. A sweep deletes lists that were not used for long: whoever uses such a list at the
 * same moment notes it first, or finds it gone and keeps it again.
 */
export const keepBudgets: SqlFunction = {
  name: "gatewarden_keep_budgets",
  sql: `
create or replace function gatewarden_keep_budgets(asked_account uuid, lists text[], at timestamptz)
returns bigint[] language plpgsql ${byKeys} as $body$
declare
  ids bigint[];
  unnoted bigint[];
  noted int;
begin
  for attempt in 1 .. 3 loop
    select array_agg(found.id order by found.n), array_agg(distinct found.id) filter (where found.used_at < at - interval '1 day')
    into ids, unnoted
    from (
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
    insert into gatewarden_budget_list (account_id, digest, budgets, limits, full_limits, used_at)
    select asked_account, encode(sha256(convert_to(l.list, 'UTF8')), 'hex'), l.list::jsonb, slots.limits, slots.full_limits, at
    from unnest(lists) as l (list) cross join lateral (
      select array_agg(s.least order by s.slot) as limits, array_agg(s.full_least order by s.slot) as full_limits
      from (
        select slot, min((b.budget ->> 'limit_nanos')::numeric) filter (where not (b.budget ->> 'include_byok')::boolean) as least,
          min((b.budget ->> 'limit_nanos')::numeric) filter (where (b.budget ->> 'include_byok')::boolean) as full_least
        from generate_series(1, ${spenders.length * intervalCount}) as slot left join jsonb_array_elements(l.list::jsonb) as b (budget)
          on gatewarden_spender_slot(gatewarden_spender(b.budget ->> 'scope'), b.budget ->> 'interval') = slot
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

/** Adds recorded events to the sums of their day, and merges days that are long past. */
export const keepSums: SqlFunction = {
  name: "gatewarden_keep_sums",
  sql: `
create or replace function gatewarden_keep_sums()
returns trigger language plpgsql ${byKeys} as $body$
declare
  -- At a stricter isolation level a row that was updated since the snapshot cannot be updated: each statement inserts its own.
  may_update boolean := current_setting('transaction_isolation') = 'read committed';
  inserted bigint[];
begin
  with change as materialized (
    select e.account_id, s.spender, s.entity, (coalesce(e.charged_at, e.created_at) at time zone 'UTC')::date as day,
      sum(e.cost_nanos) as charged_nanos, sum(e.byok_cost_nanos) as charged_byok_nanos
    from added e
    cross join lateral (
      ${spenderRows("e.api_key_hash", "e.user_id", "e.workspace_id")}
    ) as s (spender, entity)
    where s.entity is not null and (e.cost_nanos <> 0 or e.byok_cost_nanos <> 0)
    group by e.account_id, s.spender, s.entity, 4
  ), target as materialized (
    select c.*, free.id from change c left join lateral (
      select r.id from gatewarden_spent r
      where may_update and r.account_id = c.account_id and r.spender = c.spender and r.entity = c.entity and r.day = c.day
      order by r.day, r.id limit 1 for update skip locked
    ) free on true
  ), updated as (
    update gatewarden_spent r set charged_nanos = r.charged_nanos + t.charged_nanos,
      charged_byok_nanos = r.charged_byok_nanos + t.charged_byok_nanos
    from target t where r.id = t.id
  ), kept as (
    insert into gatewarden_spent
      (account_id, spender, entity, day, charged_nanos, charged_byok_nanos)
    select account_id, spender, entity, day, charged_nanos, charged_byok_nanos
    from target where id is null returning id
  )
  select array_agg(id) into inserted from kept;
  if inserted is null or not may_update then
    return null;
  end if;
  with latest as materialized (
    select account_id, spender, entity, ${keptFrom("max(day)")} as kept_from
    from gatewarden_spent where id = any (inserted) group by account_id, spender, entity
  ), merged as materialized (
    select past.id from latest l cross join lateral (
      select r.id from gatewarden_spent r
      where r.account_id = l.account_id and r.spender = l.spender and r.entity = l.entity and r.day < l.kept_from
        and exists (
          select from gatewarden_spent f where f.account_id = l.account_id and f.spender = l.spender and f.entity = l.entity
            and f.day > '-infinity' and f.day < l.kept_from
        )
      order by r.day for update skip locked
    ) past
  ), gone as (
    delete from gatewarden_spent r using merged m where r.id = m.id returning r.*
  )
  insert into gatewarden_spent
    (account_id, spender, entity, day, charged_nanos, charged_byok_nanos)
  select account_id, spender, entity, '-infinity', sum(charged_nanos), sum(charged_byok_nanos)
  from gone group by account_id, spender, entity;
  return null;
end
$body$
`
}
