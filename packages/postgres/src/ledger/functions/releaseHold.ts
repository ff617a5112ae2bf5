/** Gives back what an admission holds. One that holds nothing any more is left as it is. */
import { byKeys, type SqlFunction } from "../../migrations/SqlFunction.ts"
import { spenderRows } from "../spenders.ts"

export const releaseHold: SqlFunction = {
  name: "gatewarden_release_hold",
  sql: `
create or replace function gatewarden_release_hold(asked_account uuid, asked_admission text)
returns void language plpgsql ${byKeys} as $body$
begin
  perform gatewarden_enter_ledger(asked_account);
  with closed as (
    update gatewarden_hold set state = 'released'
    where admission_id = asked_admission and (account_id = asked_account) is true and state = 'open'
    returning nanos, full_nanos, held_at, key_hash, user_id, workspace_id
  ), freed as materialized (
    select w.id, h.nanos, h.full_nanos from closed h
    cross join lateral (${spenderRows("h.key_hash", "h.user_id", "h.workspace_id")}) as s (spender, entity)
    cross join lateral (
      select w.id from gatewarden_budget_window w
      where w.account_id = asked_account and w.spender = s.spender and w.entity = s.entity
        and w.window_end > h.held_at and w.window_start <= h.held_at offset 0
    ) w
  ), locked as (
    select w.id, f.nanos, f.full_nanos from freed f join gatewarden_budget_window w on w.id = f.id order by w.id for update of w
  )
  update gatewarden_budget_window w
  set held_nanos = w.held_nanos - l.nanos, full_held_nanos = w.full_held_nanos - l.full_nanos
  from locked l where w.id = l.id;
end
$body$
`
}
