-- Money: what was spent, in the windows that some budget watches and by day, and what admissions hold there.
--
-- A window belongs to who spends (a key, a user, a workspace) and not to a budget: every budget over the same entity and interval reads
-- the same sums. It starts as the sum of the recorded events and of what is held, and is charged with each further one, so that it always
-- equals their sum; an event is charged when its money was held, else when it was made. Spending with the workspace's own credentials is
-- apart, since only some budgets count it; `full_` amounts do.
--
-- `gatewarden_spending` counts how often windows were opened in an account: a statement that records compares what it sees itself with
-- what `gatewarden_enter_spending` sees under the lock, and so knows that it knows every window there is.
--
-- `gatewarden_spent` is what each key, user and workspace has spent, by the UTC day of the charge. Several rows of one day may exist, and
-- readers sum them: a writer updates a row that nobody has locked, and inserts one when all are locked, so that it never waits. Days
-- before the previous month are merged into one row, dated '-infinity': a lifetime is the sum of at most 62 days and that row.
--
-- A hold names its spenders and no windows: it counts in every window of its key, its user and its workspace that has its instant. Its
-- budgets are kept once for all holds that have the same. Settling removes the hold, so the table stays as small as what is in flight.
--
-- Admissions and settlements write no entry of the indexes of closed holds: an open hold is in none of them, and a settled one is deleted.
-- A hold that is given back or expires is one entry more.

create table gatewarden_spending (
  account_id uuid primary key,
  opened bigint not null
);

create policy gatewarden_tenant on gatewarden_spending
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_spent (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  -- 'key', 'user', 'workspace' or 'workspace_user'; entity is the key's hash, the user's id, the workspace's id, or the user's id and
  -- the workspace's id with a space between them.
  spender text collate "C" not null,
  entity text collate "C" not null,
  day date not null,
  charged_nanos numeric not null,
  charged_byok_nanos numeric not null
) with (fillfactor = 50);

create index gatewarden_spent_entity on gatewarden_spent (account_id, spender, entity, day);
create index gatewarden_spent_day on gatewarden_spent (day) where day > '-infinity';

create policy gatewarden_tenant on gatewarden_spent
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_budget_list (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  digest text collate "C" not null,
  budgets jsonb not null,
  -- About once a day, that holds use it: a sweep deletes lists that no hold can refer to any more.
  used_at timestamptz not null default now(),
  unique (account_id, digest)
);

create index gatewarden_budget_list_member on gatewarden_budget_list
  using gin (jsonb_path_query_array(budgets, '$[*] ? (@.scope == "member" || @.scope == "workspace_default_member").entity'))
  with (fastupdate = off);

create policy gatewarden_tenant on gatewarden_budget_list
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

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
  full_held_nanos numeric not null
) with (fillfactor = 50);

create index gatewarden_budget_window_end on gatewarden_budget_window (account_id, window_end) where window_end < 'infinity';
-- By when they end, so that one look finds the windows of an entity that have an instant.
create unique index gatewarden_budget_window_of on gatewarden_budget_window (account_id, spender, entity, window_end, interval);

create policy gatewarden_tenant on gatewarden_budget_window
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_hold (
  admission_id text collate "C" primary key,
  account_id uuid not null,
  held_at timestamptz not null,
  expires_at timestamptz not null,
  state text collate "C" not null,
  nanos numeric not null,
  full_nanos numeric not null,
  settlement jsonb,
  key_hash text collate "C",
  user_id text collate "C",
  workspace_id uuid,
  budget_list_id bigint,
  -- The member whose budget applies; its event is this member's, though the key may be gone when it is settled.
  member text collate "C",
  -- Whether its budgets are all of its own key, user and workspace.
  is_plain boolean not null default true,
  -- Of the admitted request, for a settlement that does not report its units.
  size text collate "C",
  -- Rule: admissions#charge-on-expiry
  is_charged_on_expiry boolean not null default false
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create index gatewarden_hold_open on gatewarden_hold (account_id, expires_at) where state = 'open';
create index gatewarden_hold_closed on gatewarden_hold (account_id, held_at) where state <> 'open';
-- For those who ask for a key alone: whoever looks for what has expired has another.
create index gatewarden_hold_key on gatewarden_hold (account_id, key_hash) where state = 'open' and key_hash is not null;
create index gatewarden_hold_closed_user on gatewarden_hold (account_id, user_id) where state <> 'open' and user_id is not null;
create index gatewarden_hold_closed_member on gatewarden_hold (account_id, member)
  where state <> 'open' and member is distinct from user_id and member is not null;
create index gatewarden_hold_charged on gatewarden_hold using gin ((settlement -> 'charges') jsonb_path_ops)
  where state = 'settled' and settlement -> 'charges' <> '[]';

create policy gatewarden_tenant on gatewarden_hold
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

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

create index gatewarden_budget_warning_time on gatewarden_budget_warning (account_id, created_at, id);
create index gatewarden_budget_warning_workspace on gatewarden_budget_warning (account_id, workspace_id, created_at, id);
-- A warning is given again at another limit of the same window, because that is another crossing.
create unique index gatewarden_budget_warning_once on gatewarden_budget_warning
  (account_id, scope, entity, interval, window_start, kind, limit_nanos, coalesce(guardrail_id, '00000000-0000-0000-0000-000000000000'));

create trigger gatewarden_budget_warning_kept after insert on gatewarden_budget_warning
  referencing new table as added for each statement execute function gatewarden_count_in_workspace('warning');
create trigger gatewarden_budget_warning_left after delete on gatewarden_budget_warning
  referencing old table as removed for each statement execute function gatewarden_count_in_workspace('warning');
create trigger gatewarden_budget_warning_alert after insert on gatewarden_budget_warning
  for each row execute function gatewarden_alert_of_warning();

create policy gatewarden_tenant on gatewarden_budget_warning
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));
