/**
 * Usage that waits to be delivered, where each destination has got to, and what no destination accepted.
 *
 * A row of the stream is written with its event and names the destinations; the event itself is read by its key. So a destination has a
 * position, and no row for each event. `due_at` is null while nothing waits: an idle destination is in no index that the dispatcher reads.
 *
 * The flag of a workspace that nobody has set is null from now on, and follows its destinations. Nothing was delivered before, so nobody had
 * a reason to set it to false.
 */
export const delivery = {
  id: 56,
  name: "delivery",
  sql: `
create table gatewarden_delivery (
  xact xid8 not null default pg_current_xact_id(),
  seq bigserial,
  account_id uuid not null,
  workspace_id uuid not null,
  recorded_at timestamptz not null,
  event_id text collate "C" not null,
  destinations uuid[] not null,
  sealed_bodies bytea,
  primary key (xact, seq)
);

create index gatewarden_delivery_workspace on gatewarden_delivery (workspace_id, xact, seq);
create index gatewarden_delivery_sealed on gatewarden_delivery (account_id, event_id) where sealed_bodies is not null;

create table gatewarden_delivery_state (
  destination_id uuid primary key,
  account_id uuid not null,
  workspace_id uuid not null,
  -- The position, and the last row that was noticed.
  xact xid8 not null,
  seq bigint not null,
  head_xact xid8 not null,
  head_seq bigint not null,
  token bigint not null default 0,
  lease_until timestamptz,
  due_at timestamptz,
  is_open boolean not null default false,
  failures integer not null default 0,
  failing_since timestamptz,
  last_at timestamptz,
  last_status integer,
  last_message text collate "C",
  delivered bigint not null default 0,
  dead bigint not null default 0
) with (fillfactor = 50);

create index gatewarden_delivery_state_due on gatewarden_delivery_state (is_open, due_at) where due_at is not null;

create table gatewarden_dead_letter (
  destination_id uuid not null,
  account_id uuid not null,
  workspace_id uuid not null,
  died_at timestamptz not null,
  event_id text collate "C" not null,
  status integer,
  message text collate "C" not null,
  sealed_bodies bytea,
  primary key (destination_id, event_id)
);

create index gatewarden_dead_letter_died on gatewarden_dead_letter (died_at);
create index gatewarden_dead_letter_latest on gatewarden_dead_letter (destination_id, died_at, event_id);

alter table gatewarden_usage_staging add column delivered_to uuid[], add column sealed_bodies bytea;

create trigger gatewarden_destination_delivery after update or delete on gatewarden_destination
  for each row execute function gatewarden_wake_delivery();

alter table gatewarden_workspace alter column is_observability_broadcast_enabled drop not null;
-- False was what a new workspace had. Where there are destinations already, it may have been meant: nothing is sent until somebody says so.
update gatewarden_workspace w set is_observability_broadcast_enabled = null
  where not is_observability_broadcast_enabled
    and not exists (select from gatewarden_destination d where d.workspace_id = w.id);
-- A later change of the table needs no check to be waiting.
set constraints all immediate;
set constraints all deferred;
`
} as const
