/**
 * The delivery log: the last attempts of each destination, in as many slots as are kept, so that it never grows. Destinations that fail are
 * found by the time since which they do.
 */
export const deliveryLog = {
  id: 59,
  name: "delivery_log",
  sql: `
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

alter table gatewarden_delivery_state
  add column attempts bigint not null default 0,
  add column delivered_at timestamptz;

create index gatewarden_delivery_state_failing on gatewarden_delivery_state (failing_since, destination_id)
  where failing_since is not null;
`
} as const
