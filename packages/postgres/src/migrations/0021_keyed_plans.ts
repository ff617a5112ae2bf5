/**
 * Small statements within functions find their rows by keys, whatever the tables were like when a session first asked: it keeps the
 * plans that it made then, and those of an empty table may read all of it. What joins a few values to a table looks each of them
 * up; and windows are not looked up by when they end, which only those who clear them ask for.
 */
export const keyedPlans = {
  id: 21,
  name: "keyed_plans",
  sql: `
do $body$
declare
  keyed regprocedure;
begin
  foreach keyed in array array(
    select p.oid::regprocedure from pg_proc p
    where p.pronamespace = current_schema()::regnamespace and p.proname in ('gatewarden_next_byok_place', 'gatewarden_warn',
      'gatewarden_hold_budgets', 'gatewarden_settle_events', 'gatewarden_events_of_members')
  ) loop
    execute format('alter function %s set plan_cache_mode = force_generic_plan', keyed);
    execute format('alter function %s set enable_seqscan = off', keyed);
    execute format('alter function %s set enable_bitmapscan = off', keyed);
    execute format('alter function %s set enable_hashjoin = off', keyed);
    execute format('alter function %s set enable_mergejoin = off', keyed);
  end loop;
end
$body$;

drop index gatewarden_budget_window_end;
create index gatewarden_budget_window_end on gatewarden_budget_window (account_id, window_end) where window_end < 'infinity';
`
} as const
