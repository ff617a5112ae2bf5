-- Usage that waits to be delivered to destinations, how far each destination is, and what none accepted.
--
-- A row of gatewarden_delivery is written with its events and names the destinations; the events themselves are read by their keys. So a
-- destination has a position, and no row for each event. The row holds all events that were recorded together for the same destinations:
-- two thirds of what a row costs are its indexes. Events with bodies have rows of their own, so that bodies go one by one. The places of
-- the events of a row end with its own, and the sequence leaves room for them before it. Random ids and what is encrypted cannot be
-- compressed, so PostgreSQL does not try.
--
-- `due_at` is null while nothing waits: an idle destination is in no index that the dispatcher reads. The delivery log keeps the last
-- attempts of each destination in as many slots as are kept, so that it never grows.

create table gatewarden_delivery (
  xact xid8 not null default pg_current_xact_id(),
  seq bigserial,
  account_id uuid not null,
  workspace_id uuid not null,
  recorded_at timestamptz not null,
  event_id text collate "C" not null,
  destinations uuid[] not null,
  sealed_bodies bytea,
  following_ids text[] collate "C" not null default '{}',
  events integer not null default 1,
  -- Of the traces and tags of its events, which a batch counts before it reads them.
  event_bytes bigint not null default 0,
  primary key (xact, seq)
);

alter table gatewarden_delivery
  alter column following_ids set storage external,
  alter column sealed_bodies set storage external;
alter sequence gatewarden_delivery_seq_seq increment by 1024;

create index gatewarden_delivery_workspace on gatewarden_delivery (workspace_id, xact, seq);
create index gatewarden_delivery_sealed on gatewarden_delivery (account_id, event_id) where sealed_bodies is not null;

create policy gatewarden_tenant on gatewarden_delivery
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

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
  dead bigint not null default 0,
  attempts bigint not null default 0,
  delivered_at timestamptz,
  -- How many attempts in a row its platform refused, and since when it refuses everything.
  refusals int not null default 0,
  refusing_since timestamptz
) with (fillfactor = 50);

create index gatewarden_delivery_state_due on gatewarden_delivery_state (is_open, due_at) where due_at is not null;
create index gatewarden_delivery_state_failing on gatewarden_delivery_state (failing_since, destination_id)
  where failing_since is not null;
create index gatewarden_delivery_state_refusing on gatewarden_delivery_state (refusing_since, destination_id)
  where refusing_since is not null;

create policy gatewarden_tenant on gatewarden_delivery_state
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

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

alter table gatewarden_dead_letter alter column sealed_bodies set storage external;

create index gatewarden_dead_letter_died on gatewarden_dead_letter (died_at);
create index gatewarden_dead_letter_latest on gatewarden_dead_letter (destination_id, died_at, event_id);

create policy gatewarden_tenant on gatewarden_dead_letter
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_delivery_attempt (
  destination_id uuid not null,
  slot integer not null,
  account_id uuid not null,
  number bigint not null,
  ended_at timestamptz not null,
  outcome text collate "C" not null,
  events integer not null,
  accepted integer not null,
  refused integer not null,
  rejected_spans bigint not null,
  duration_ms bigint not null,
  status integer,
  message text collate "C",
  primary key (destination_id, slot)
);

create index gatewarden_delivery_attempt_ended on gatewarden_delivery_attempt (ended_at);

create policy gatewarden_tenant on gatewarden_delivery_attempt
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));
