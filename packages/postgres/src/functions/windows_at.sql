-- The windows of a spender that contain an instant, by one look at the index.
create or replace function gatewarden_windows_at(asked_account uuid, asked_spender text, asked_entity text, at timestamptz)
returns table (id bigint, "interval" text) language sql stable as $body$
  -- offset 0: each spender is looked up by the index. Without it, the planner joins, and may read the whole table.
  select w.id, w.interval from gatewarden_budget_window w
  where w.account_id = asked_account and w.spender = asked_spender and w.entity = asked_entity
    and w.window_end > at and w.window_start <= at offset 0
$body$
