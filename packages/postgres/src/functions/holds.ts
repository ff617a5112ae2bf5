import { type SqlFunction, byKeys } from "./SqlFunction.ts"
import { insertSums, spenderRows } from "./spenders.ts"

/**
 * Admits a request of a key unless one of its rate limits is reached. A key is decided on by one at a time: the lock is taken before anything
 * is read, so that what is read is what the one before left behind. Rows that neither count nor run any more go on the way.
 */
export const admitKey: SqlFunction = {
  name: "gatewarden_admit_key",
  sql: `
create or replace function gatewarden_admit_key(
  asked_account uuid, asked_key text, asked_admission text, asked_at timestamptz, seconds int, asked_tokens bigint,
  most_requests bigint, most_tokens bigint, most_parallel bigint
)
returns table (admitted boolean, requests bigint, tokens bigint, parallel bigint, resets_at bigint) language plpgsql as $body$
declare
  at timestamptz;
begin
  perform pg_advisory_xact_lock(hashtextextended('gatewarden/rates/' || asked_account || '/' || asked_key, 0));
  at := coalesce(asked_at, clock_timestamp());
  delete from gatewarden_key_admission a
    where a.account_id = asked_account and a.key_hash = asked_key and a.admitted_at <= at - interval '1 minute'
      and (not a.is_open or a.expires_at <= at);
  select count(*) filter (where a.admitted_at > at - interval '1 minute'),
    coalesce(sum(a.tokens) filter (where a.admitted_at > at - interval '1 minute'), 0)::bigint,
    count(*) filter (where a.is_open and a.expires_at > at),
    ceil(extract(epoch from min(a.admitted_at) filter (where a.admitted_at > at - interval '1 minute')) * 1000)::bigint + 60000
    into requests, tokens, parallel, resets_at
    from gatewarden_key_admission a where a.account_id = asked_account and a.key_hash = asked_key;
  admitted := coalesce(requests < most_requests, true) and coalesce(tokens + asked_tokens <= most_tokens, true)
    and coalesce(parallel < most_parallel, true);
  if admitted then
    insert into gatewarden_key_admission values
      (asked_admission, asked_account, asked_key, at, at + seconds * interval '1 second', asked_tokens, true);
  end if;
  return next;
end
$body$
`
}

/** Gives back what an admission holds, or what was charged for it when it expired. One that has neither any more is left as it is. */
export const releaseHold: SqlFunction = {
  name: "gatewarden_release_hold",
  sql: `
create or replace function gatewarden_release_hold(asked_account uuid, asked_admission text)
returns void language plpgsql ${byKeys} as $body$
begin
  perform gatewarden_enter_ledger(asked_account);
  with found as materialized (
    select nanos, full_nanos, held_at, key_hash, user_id, workspace_id, state = 'charged' as is_charged from gatewarden_hold
    where admission_id = asked_admission and (account_id = asked_account) is true and state in ('open', 'charged') for update
  ), closed as (
    update gatewarden_hold set state = 'released' where admission_id = asked_admission and exists (select from found)
  ), freed as materialized (
    select w.id, h.nanos, h.full_nanos, h.is_charged from found h
    cross join lateral (${spenderRows("h.key_hash", "h.user_id", "h.workspace_id")}) as s (spender, entity)
    cross join lateral (
      select w.id from gatewarden_budget_window w
      where w.account_id = asked_account and w.spender = s.spender and w.entity = s.entity
        and w.window_end > h.held_at and w.window_start <= h.held_at offset 0
    ) w
  ), locked as (
    select w.id, f.nanos, f.full_nanos, f.is_charged
    from freed f join gatewarden_budget_window w on w.id = f.id order by w.id for update of w
  ), summed as (${insertSums(`
        select h.key_hash, h.user_id, h.workspace_id, h.held_at, -h.nanos as nanos, h.nanos - h.full_nanos as byok_nanos
        from found h where h.is_charged`)}
  )
  update gatewarden_budget_window w
  set held_nanos = w.held_nanos - case when l.is_charged then 0 else l.nanos end,
    full_held_nanos = w.full_held_nanos - case when l.is_charged then 0 else l.full_nanos end,
    spent_nanos = w.spent_nanos - case when l.is_charged then l.nanos else 0 end,
    byok_spent_nanos = w.byok_spent_nanos - case when l.is_charged then l.full_nanos - l.nanos else 0 end
  from locked l where w.id = l.id;
end
$body$
`
}

/**
 * Ends expired holds of an account, a number of them; answers how many. What they hold is given back, or charged to the same windows if the
 * hold was made so. Those that others settle are skipped.
 */
export const sweepHolds: SqlFunction = {
  name: "gatewarden_sweep_holds",
  sql: `
create or replace function gatewarden_sweep_holds(asked_account uuid, at timestamptz, at_once int)
returns int language plpgsql ${byKeys} as $body$
declare
  swept int;
begin
  perform gatewarden_enter_ledger(asked_account);
  with expired as materialized (
    select admission_id, nanos, full_nanos, held_at, key_hash, user_id, workspace_id, is_charged_on_expiry as is_charged
    from gatewarden_hold
    where account_id = asked_account and state = 'open' and expires_at <= at
    order by admission_id limit at_once for update skip locked
  ), freed as materialized (
    select w.id, sum(h.nanos) as nanos, sum(h.full_nanos) as full_nanos,
      coalesce(sum(h.nanos) filter (where h.is_charged), 0) as charged,
      coalesce(sum(h.full_nanos - h.nanos) filter (where h.is_charged), 0) as byok_charged
    from expired h
    cross join lateral (${spenderRows("h.key_hash", "h.user_id", "h.workspace_id")}) as s (spender, entity)
    cross join lateral (
      select w.id from gatewarden_budget_window w
      where w.account_id = asked_account and w.spender = s.spender and w.entity = s.entity
        and w.window_end > h.held_at and w.window_start <= h.held_at offset 0
    ) w
    group by w.id
  ), locked as (
    select w.id, f.nanos, f.full_nanos, f.charged, f.byok_charged
    from freed f join gatewarden_budget_window w on w.id = f.id order by w.id for update of w
  ), updated as (
    update gatewarden_budget_window w
    set held_nanos = w.held_nanos - l.nanos, full_held_nanos = w.full_held_nanos - l.full_nanos,
      spent_nanos = w.spent_nanos + l.charged, byok_spent_nanos = w.byok_spent_nanos + l.byok_charged
    from locked l where w.id = l.id
  ), summed as (${insertSums(`
        select e.key_hash, e.user_id, e.workspace_id, e.held_at, e.nanos, e.full_nanos - e.nanos as byok_nanos
        from expired e where e.is_charged`)}
  ), closed as (
    update gatewarden_hold h set state = case when e.is_charged then 'charged' else 'expired' end
    from expired e where h.admission_id = e.admission_id
  )
  select count(*) into swept from expired;
  return swept;
end
$body$
`
}
