/**
 * Alert channels, alerts, and what became of each alert on each channel.
 *
 * An alert is unique by what it is about and by its crossing: whoever inserts it first records it. It refers to no channel and no
 * workspace, so the ledger, which records alerts of budgets, waits for nobody who changes one. A budget warning is given again at another
 * limit of the same window, because that is another crossing.
 */
import { tenantPolicy } from "./tenantPolicy.ts"

export const alerts = {
  id: 62,
  name: "alerts",
  sql: `
create table gatewarden_alert_channel (
  id uuid primary key,
  account_id uuid not null,
  workspace_id uuid not null,
  name text collate "C" not null,
  type text collate "C" not null,
  -- As it is shown, with masks in place of secrets.
  config json not null,
  sealed_config bytea not null,
  events text[] not null,
  quiet_time_seconds integer not null,
  enabled boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  foreign key (workspace_id, account_id) references gatewarden_workspace (id, account_id) on delete cascade
);

create index gatewarden_alert_channel_workspace on gatewarden_alert_channel (workspace_id, account_id, created_at, id);

create trigger gatewarden_alert_channel_kept after insert on gatewarden_alert_channel
  referencing new table as added for each statement execute function gatewarden_count_in_workspace('alert_channel');
create trigger gatewarden_alert_channel_left after delete on gatewarden_alert_channel
  referencing old table as removed for each statement execute function gatewarden_count_in_workspace('alert_channel');
create trigger gatewarden_alert_channel_recorded after insert or delete on gatewarden_alert_channel
  for each row execute function gatewarden_record_alert_channel();
create trigger gatewarden_alert_channel_rerecorded after update on gatewarden_alert_channel
  for each row when (old.account_id is distinct from new.account_id or old.workspace_id is distinct from new.workspace_id
    or old.name is distinct from new.name or old.type is distinct from new.type
    or old.config::text is distinct from new.config::text or old.sealed_config is distinct from new.sealed_config
    or old.events is distinct from new.events or old.quiet_time_seconds is distinct from new.quiet_time_seconds
    or old.enabled is distinct from new.enabled or old.updated_at is distinct from new.updated_at)
  execute function gatewarden_record_alert_channel();

create table gatewarden_alert (
  id uuid primary key,
  account_id uuid not null,
  workspace_id uuid not null,
  type text collate "C" not null,
  subject text collate "C" not null,
  crossing text collate "C" not null,
  data json not null,
  created_at timestamptz not null
);

create unique index gatewarden_alert_once on gatewarden_alert (account_id, subject, type, crossing);
create index gatewarden_alert_workspace on gatewarden_alert (workspace_id, account_id, created_at, id);
create index gatewarden_alert_time on gatewarden_alert (created_at);

create trigger gatewarden_alert_kept after insert on gatewarden_alert
  referencing new table as added for each statement execute function gatewarden_count_in_workspace('alert');
create trigger gatewarden_alert_left after delete on gatewarden_alert
  referencing old table as removed for each statement execute function gatewarden_count_in_workspace('alert');

create table gatewarden_alert_delivery (
  alert_id uuid not null references gatewarden_alert (id) on delete cascade,
  channel_id uuid not null,
  account_id uuid not null,
  workspace_id uuid not null,
  -- Those of the alert, to find what the channel was told of before.
  type text collate "C" not null,
  subject text collate "C" not null,
  created_at timestamptz not null,
  status text collate "C" not null default 'waiting',
  attempts integer not null default 0,
  -- 0 until it is claimed.
  token bigint not null default 0,
  due_at timestamptz not null,
  last_at timestamptz,
  last_status integer,
  last_message text collate "C",
  primary key (alert_id, channel_id)
);

create index gatewarden_alert_delivery_due on gatewarden_alert_delivery (due_at) where status = 'waiting';
create index gatewarden_alert_delivery_channel on gatewarden_alert_delivery (channel_id, due_at) where status = 'waiting';
create index gatewarden_alert_delivery_told
  on gatewarden_alert_delivery (channel_id, type, subject, created_at) where token > 0;

create index gatewarden_api_key_expiring on gatewarden_api_key (workspace_id, expires_at)
  where expires_at is not null and workspace_id is not null;

drop index gatewarden_budget_warning_once;
create unique index gatewarden_budget_warning_once on gatewarden_budget_warning
  (account_id, scope, entity, interval, window_start, kind, limit_nanos, coalesce(guardrail_id, '00000000-0000-0000-0000-000000000000'));

create trigger gatewarden_budget_warning_alert after insert on gatewarden_budget_warning
  for each row execute function gatewarden_alert_of_warning();

${["alert_channel", "alert", "alert_delivery"].map((table) => tenantPolicy(`gatewarden_${table}`)).join("\n")}
`
} as const
