-- What the latency, the throughput and the uptime of endpoints are computed from (Rule: models#endpoint-statistics).
--
-- Each event of the last day that counts is in one place. From the statement that records it, it is a row of `gatewarden_measured_event`.
-- Background work (`gatewarden_measure_endpoints`) moves the events of a minute that is over into one span for each endpoint, and minutes
-- of which nobody asks for latencies into a span of their hour. A reader adds up what it finds: every event once, whatever was moved.
--
-- A span has the instants of its requests, in milliseconds from its beginning and in order, so that a window which begins within it is
-- counted exactly. A minute has what was measured, too, and a sketch of it (`gatewarden_sketch`) if that is much. Instants of an hour are
-- read for the hour in which a window begins, so they are stored apart from the row and are not compressed.
--
-- Without background work, what a model had since it last ran is read from the events here: at most those of a day.

create table gatewarden_measured_event (
  account_id uuid not null,
  created_at timestamptz not null,
  latency_ms double precision,
  throughput double precision,
  is_ok boolean not null,
  self_reported boolean not null,
  model text collate "C" not null,
  variant text collate "C" not null,
  provider text collate "C" not null,
  endpoint_tag text collate "C"
);

create index gatewarden_measured_event_model on gatewarden_measured_event (model, created_at);

create policy gatewarden_tenant on gatewarden_measured_event
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create trigger gatewarden_note_measured after insert on gatewarden_usage_event
  referencing new table as added for each statement execute function gatewarden_note_measured();

create table gatewarden_measured_span (
  -- Null: of all accounts, of a model that is the installation's alone.
  account_id uuid,
  begins_at timestamptz not null,
  -- The last request.
  last_at timestamptz not null,
  ok int not null,
  errors int not null,
  is_hour boolean not null,
  self_reported boolean not null,
  model text collate "C" not null,
  variant text collate "C" not null,
  provider text collate "C" not null,
  endpoint_tag text collate "C",
  ok_at int[],
  errors_at int[],
  -- For each of `ok_at`.
  latency_ms double precision[],
  throughput double precision[],
  latency_ms_sketch bigint[],
  throughput_sketch bigint[]
);

alter table gatewarden_measured_span alter column ok_at set storage external;
alter table gatewarden_measured_span alter column errors_at set storage external;

create index gatewarden_measured_span_model on gatewarden_measured_span (model, begins_at);
create index gatewarden_measured_span_minutes on gatewarden_measured_span (begins_at) where not is_hour;
create index gatewarden_measured_span_hours on gatewarden_measured_span (begins_at) where is_hour;

create policy gatewarden_tenant on gatewarden_measured_span
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));
