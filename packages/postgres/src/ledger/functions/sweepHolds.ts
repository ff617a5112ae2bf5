/** Gives back what expired holds of an account still hold, a number of them; answers how many. Those that others settle are skipped. */
import { byKeys, type SqlFunction } from "../../migrations/SqlFunction.ts"
import { spenderRows } from "../spenders.ts"

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
    select admission_id, nanos, full_nanos, held_at, key_hash, user_id, workspace_id from gatewarden_hold
    where account_id = asked_account and state = 'open' and expires_at <= at
    order by admission_id limit at_once for update skip locked
  ), freed as materialized (
    select w.id, sum(h.nanos) as nanos, sum(h.full_nanos) as full_nanos
    from expired h
    cross join lateral (${spenderRows("h.key_hash", "h.user_id", "h.workspace_id")}) as s (spender, entity)
    cross join lateral (
      select w.id from gatewarden_budget_window w
      where w.account_id = asked_account and w.spender = s.spender and w.entity = s.entity
        and w.window_end > h.held_at and w.window_start <= h.held_at offset 0
    ) w
    group by w.id
  ), locked as (
    select w.id, f.nanos, f.full_nanos from freed f join gatewarden_budget_window w on w.id = f.id order by w.id for update of w
  ), updated as (
    update gatewarden_budget_window w
    set held_nanos = w.held_nanos - l.nanos, full_held_nanos = w.full_held_nanos - l.full_nanos
    from locked l where w.id = l.id
  ), closed as (
    update gatewarden_hold h set state = 'expired' from expired where h.admission_id = expired.admission_id
  )
  select count(*) into swept from expired;
  return swept;
end
$body$
`
}
