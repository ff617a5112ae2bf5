/**
 * Settling and importing in one statement, warnings, and what clean-up looks for.
 *
 * `gatewarden_spending` counts how often windows were opened in an account. A statement that records events compares what it sees
 * itself with what `gatewarden_enter_spending` sees: that function first takes the lock that keeps openers away until the end of
 * the transaction, and then looks anew. The same figure says that the statement knows every window there is.
 */
export const ledgerStep = {
  id: 16,
  name: "ledger_step",
  sql: `
create table gatewarden_spending (
  account_id uuid primary key,
  opened bigint not null
);

create function gatewarden_enter_spending(entered_account uuid) returns bigint language plpgsql volatile as $body$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('gatewarden/spending/' || entered_account, 0));
  return coalesce((select opened from gatewarden_spending where account_id = entered_account), 0);
end
$body$;

create index gatewarden_budget_window_end on gatewarden_budget_window (account_id, window_end);

create index gatewarden_hold_time on gatewarden_hold (account_id, held_at);

create table gatewarden_budget_warning (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  workspace_id uuid not null,
  kind text collate "C" not null,
  scope text collate "C" not null,
  entity text collate "C" not null,
  guardrail_id uuid,
  interval text collate "C" not null,
  window_start timestamptz not null,
  include_byok boolean not null,
  limit_nanos numeric not null,
  spent_nanos numeric not null,
  held_nanos numeric,
  created_at timestamptz not null
);

create unique index gatewarden_budget_warning_once on gatewarden_budget_warning
  (account_id, scope, entity, interval, window_start, kind, coalesce(guardrail_id, '00000000-0000-0000-0000-000000000000'));

create index gatewarden_budget_warning_time on gatewarden_budget_warning (account_id, created_at, id);
`
} as const
