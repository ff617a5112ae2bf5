/**
 * When the address of a destination last got another host, and how often its dead letters were sent again; since when its platform refuses all
 * that it gets, and how many attempts in a row it refused.
 */
export const movedDestinations = {
  id: 73,
  name: "moved_destinations",
  sql: `
alter table gatewarden_destination add column receives_since timestamptz, add column replays bigint not null default 0;
alter table gatewarden_delivery_state add column refusals int not null default 0, add column refusing_since timestamptz;
create index gatewarden_delivery_state_refusing on gatewarden_delivery_state (refusing_since, destination_id)
  where refusing_since is not null;
`
} as const
