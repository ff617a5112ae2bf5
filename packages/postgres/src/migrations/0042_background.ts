/**
 * Background jobs with their leases, and what sweeps need to find and to delete safely.
 *
 * A list of budgets notes about once a day that holds use it. A sweep deletes lists that no hold can refer to any more.
 */
export const background = {
  id: 42,
  name: "background",
  sql: `
create table gatewarden_background_job (
  job text collate "C" primary key,
  token bigint not null default 0,
  due_at timestamptz not null,
  lease_until timestamptz,
  began_at timestamptz,
  succeeded_at timestamptz,
  failures integer not null default 0,
  position text collate "C"
) with (fillfactor = 50);

create index gatewarden_spent_day on gatewarden_spent (day) where day > '-infinity';

alter table gatewarden_budget_list add column used_at timestamptz not null default now();
`
} as const
