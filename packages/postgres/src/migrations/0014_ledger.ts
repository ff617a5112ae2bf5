/**
 * Money: what was spent in the windows that some budget watches, and what admissions hold there.
 *
 * A window belongs to who spends (a key, a user, a workspace) and not to a budget: every budget over the same entity and interval
 * reads the same sums. It starts as the sum of the recorded events and is charged with each further one, so that it always equals
 * their sum; an event is charged when its money was held, else when it was made. Spending with the workspace's own credentials is
 * apart, since only some budgets count it; `full_` amounts do.
 */
export const ledger = {
  id: 14,
  name: "ledger",
  sql: `
alter table gatewarden_usage_event add column charged_at timestamptz;

create index gatewarden_usage_event_charged on gatewarden_usage_event (account_id, charged_at) where charged_at is not null;

create table gatewarden_budget_window (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  spender text collate "C" not null,
  entity text collate "C" not null,
  interval text collate "C" not null,
  window_start timestamptz not null,
  window_end timestamptz not null,
  spent_nanos numeric not null,
  byok_spent_nanos numeric not null,
  held_nanos numeric not null,
  full_held_nanos numeric not null,
  unique (account_id, spender, entity, interval, window_start)
) with (fillfactor = 50);

create table gatewarden_hold (
  admission_id text collate "C" primary key,
  account_id uuid not null,
  held_at timestamptz not null,
  expires_at timestamptz not null,
  state text collate "C" not null,
  window_ids bigint[] not null,
  nanos numeric not null,
  full_nanos numeric not null,
  budgets jsonb not null,
  settlement jsonb
) with (fillfactor = 70);

create index gatewarden_hold_open on gatewarden_hold (account_id, expires_at) where state = 'open';
`
} as const
