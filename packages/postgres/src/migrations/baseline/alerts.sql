-- Alert channels, alerts, what became of each alert on each channel, and which addresses have agreed to get alerts by mail.
-- Rule: alerts#recipients
--
-- An alert is unique by what it is about and by its crossing: whoever inserts it first records it. It refers to no channel and no
-- workspace, so the ledger, which records alerts of budgets, waits for nobody who changes one.

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
create trigger gatewarden_alert_channel_renamed after update on gatewarden_alert_channel
  referencing old table as removed for each statement execute function gatewarden_forget_recipients();
create trigger gatewarden_alert_channel_forgotten after delete on gatewarden_alert_channel
  referencing old table as removed for each statement execute function gatewarden_forget_recipients();

create policy gatewarden_tenant on gatewarden_alert_channel
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

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
create index gatewarden_alert_member on gatewarden_alert (account_id, (data ->> 'entity'))
  where data ->> 'scope' in ('member', 'workspace_default_member');

create trigger gatewarden_alert_kept after insert on gatewarden_alert
  referencing new table as added for each statement execute function gatewarden_count_in_workspace('alert');
create trigger gatewarden_alert_left after delete on gatewarden_alert
  referencing old table as removed for each statement execute function gatewarden_count_in_workspace('alert');

create policy gatewarden_tenant on gatewarden_alert
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

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

create policy gatewarden_tenant on gatewarden_alert_delivery
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_mail_recipient (
  account_id uuid not null,
  -- In lower case.
  address text collate "C" not null,
  -- Of the link that was sent last; null if none was.
  token_hash text collate "C",
  link_ends_at timestamptz,
  confirmed_at timestamptz,
  primary key (account_id, address)
);

create unique index gatewarden_mail_recipient_token on gatewarden_mail_recipient (token_hash) where token_hash is not null;

create policy gatewarden_tenant on gatewarden_mail_recipient
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));
